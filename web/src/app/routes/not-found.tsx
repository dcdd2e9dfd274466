import { Button } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { paths } from "@/lib/paths";
import { useTitle } from "@/lib/use-title";

export default function NotFoundPage({ what = "This page" }: { what?: string }) {
  useTitle("Not found");
  return (
    <EmptyState
      order={1}
      icon={<IconMapOff size={22} />}
      title={`${what} does not exist`}
      action={
        <Button component={Link} to={paths.home} variant="default">
          All projects
        </Button>
      }
    >
      It may have been removed, or it belongs to someone else.
    </EmptyState>
  );
}
