import { Button } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { usePageTitle } from "@/domain/use-page-title";
import { paths } from "@/lib/paths";

interface NotFoundPageProps {
  what?: string;
  /** The page that lists what exists. */
  list?: { to: string; name: string };
}

const PROJECTS = { to: paths.home, name: "All projects" };

export default function NotFoundPage({ what = "This page", list = PROJECTS }: NotFoundPageProps) {
  usePageTitle("Not found");
  return (
    <EmptyState
      order={1}
      icon={<IconMapOff size={22} />}
      title={`${what} does not exist`}
      action={
        <Button component={Link} to={list.to} variant="default">
          {list.name}
        </Button>
      }
    >
      It may have been removed, or you may not have access to it.
    </EmptyState>
  );
}
