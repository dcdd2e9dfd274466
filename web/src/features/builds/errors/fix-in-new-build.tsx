import { Button, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { OwnerOnly } from "@/components/owner-only";
import type { Build, BuildError } from "@/lib/api";
import { MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH, StartDialog } from "../overview/start-dialog";
import { useStartAndOpen } from "../overview/use-start-and-open";

/** Offers a build that starts from the branch of a sealed one and fixes an error of it. */
export function FixInNewBuild({ build, error }: { build: Build; error: BuildError }) {
  const [opened, { open, close }] = useDisclosure(false);
  const start = useStartAndOpen(build.project_id);
  const [summary = ""] = error.message.split("\n");
  return (
    <OwnerOnly>
      <Button size="compact-xs" variant="default" mt="xs" mr="xs" onClick={open}>
        Fix in a new build
        <VisuallyHidden component="span">: {summary.slice(0, 60)}</VisuallyHidden>
      </Button>
      <StartDialog
        projectId={build.project_id}
        opened={opened}
        onClose={close}
        onStart={start}
        initial={{
          title: `Fix: ${summary}`.slice(0, MAX_TITLE_LENGTH),
          description: `Fix this error of an earlier build:\n\n${error.message}`.slice(
            0,
            MAX_DESCRIPTION_LENGTH,
          ),
          baseline_branch: build.branch,
        }}
      />
    </OwnerOnly>
  );
}
