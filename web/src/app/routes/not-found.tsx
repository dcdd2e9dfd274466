import { Button } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { usePageTitle } from "@/domain/use-page-title";
import { paths } from "@/lib/paths";

export default function NotFoundPage({ what = "This page" }: { what?: string }) {
  usePageTitle("Not found");
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
      It may have been removed, or you may not have access to it.
    </EmptyState>
  );
}
