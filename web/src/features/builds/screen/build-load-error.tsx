import { Button, CloseButton, Group } from "@mantine/core";
import { IconMapOff, IconPlugConnectedX } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { messageOf } from "@/lib/api-error";

interface BuildLoadErrorProps {
  missing: boolean;
  error: unknown;
  onRetry: () => void;
  onClose: () => void;
}

export function BuildLoadError({ missing, error, onRetry, onClose }: BuildLoadErrorProps) {
  return (
    <>
      <Group justify="flex-end" p="xs">
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
      <EmptyState
        icon={missing ? <IconMapOff size={22} /> : <IconPlugConnectedX size={22} />}
        title={missing ? "This build does not exist" : "Could not load the build"}
        action={
          <Button variant="default" onClick={missing ? onClose : onRetry}>
            {missing ? "Back to project" : "Try again"}
          </Button>
        }
      >
        {missing ? "It may have been removed, or you may not have access to it." : messageOf(error)}
      </EmptyState>
    </>
  );
}
