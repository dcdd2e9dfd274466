import { Button, VisuallyHidden } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import type { BuildError, BuildStatus } from "@/lib/api";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useBuild, useBuildCommand } from "../api";
import { FixInNewBuild } from "./fix-in-new-build";

/** What the agents do with it, by the status of the build. */
const WHEN: Partial<Record<BuildStatus, string>> = {
  paused: "The build continues with this error.",
  blocked: "The build continues with this error.",
};

/** Tells the agents to fix an error, or offers a new build if the build is sealed. */
export function FixButton({ error }: { error: BuildError }) {
  const build = useBuild(error.build_id).data;
  const status = build?.status;
  const command = useBuildCommand(error.build_id);
  if (build && status === "sealed") return <FixInNewBuild build={build} error={error} />;
  if (status === undefined || status === "abandoned" || status === "sealing") return null;
  return (
    <OwnerOnly>
      <Button
        size="compact-xs"
        variant="default"
        mt="xs"
        mr="xs"
        loading={command.isPending}
        onClick={() =>
          command.mutate(
            { name: "fix-error", error: error.id },
            {
              onSuccess: () =>
                notifyDone(WHEN[status] ?? "The agents receive it before their next turn."),
              onError: (failure) => notifyFailed("Could not request the fix", failure),
            },
          )
        }
      >
        Fix this error
        <VisuallyHidden component="span">: {error.message.slice(0, 60)}</VisuallyHidden>
      </Button>
    </OwnerOnly>
  );
}
