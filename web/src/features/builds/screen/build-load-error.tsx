import { Button } from "@mantine/core";
import { IconMapOff, IconPlugConnectedX } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { isStatus, messageOf } from "@/lib/api-error";
import { paths } from "@/lib/paths";

interface BuildLoadErrorProps {
  projectId: string;
  /** Whether access to it ended while it was shown. */
  gone?: boolean;
  error: unknown;
  onRetry: () => void;
}

export function BuildLoadError({ projectId, gone, error, onRetry }: BuildLoadErrorProps) {
  const missing = gone || isStatus(error, 404);
  return (
    <EmptyState
      order={1}
      icon={missing ? <IconMapOff size={22} /> : <IconPlugConnectedX size={22} />}
      title={missing ? "This build does not exist" : "Could not load the build"}
      action={
        missing ? (
          <Button variant="default" component={Link} to={paths.builds(projectId)}>
            All builds
          </Button>
        ) : (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {missing ? "It may have been removed, or you may not have access to it." : messageOf(error)}
    </EmptyState>
  );
}
