import { Button, VisuallyHidden } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import type { BuildError } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useChangeError } from "./api";

interface ReopenProps {
  error: BuildError;
}

export function ReopenButton({ error }: ReopenProps) {
  const reopen = useChangeError(error.build_id);
  return (
    <OwnerOnly>
      <Button
        size="compact-xs"
        variant="default"
        ml="xs"
        loading={reopen.isPending}
        onClick={() =>
          reopen.mutate(
            { error: error.id },
            { onError: (failure) => notifyFailed("Could not reopen the error", failure) },
          )
        }
      >
        Undo
        <VisuallyHidden component="span"> dismissing {error.message.slice(0, 60)}</VisuallyHidden>
      </Button>
    </OwnerOnly>
  );
}
