import { Button } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import type { BuildError } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useSettleError } from "./api";

interface ReopenProps {
  error: BuildError;
}

/** Takes back that the error was dismissed. */
export function Reopen({ error }: ReopenProps) {
  const reopen = useSettleError(error.build_id, "reopen");
  return (
    <OwnerOnly>
      <Button
        size="compact-xs"
        variant="default"
        ml="xs"
        loading={reopen.isPending}
        onClick={() =>
          reopen.mutate(error.id, {
            onError: (failure) => notifyFailed("It stays dismissed", failure),
          })
        }
      >
        Undo<span className="visually-hidden"> dismissing {error.message.slice(0, 60)}</span>
      </Button>
    </OwnerOnly>
  );
}
