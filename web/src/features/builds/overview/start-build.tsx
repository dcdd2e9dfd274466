import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconPlayerPlayFilled } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useActions } from "@/domain/actions";
import { buildReadiness } from "@/domain/build-readiness";
import { useCanEdit } from "@/domain/project-access";
import type { StartChoices } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { StartDialog } from "./start-dialog";
import { useStartAndOpen } from "./use-start-and-open";

interface StartBuildProps extends ButtonProps {
  projectId: string;
  label?: string;
  /** What it starts from, if not from the default branch and the current contracts. */
  choices?: StartChoices;
}

/** Starts a build, or opens the dialog if something prevents it or a limit must be chosen. */
export function StartBuild(props: StartBuildProps) {
  const { projectId, label = "Start build", choices, ...button } = props;
  const mayChange = useCanEdit();
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const startWith = useStartAndOpen(projectId);
  const begin = useMutation({
    mutationFn: async () => {
      const ready = await client.fetchQuery(buildReadiness(projectId, choices));
      if (ready.obstacles.length > 0 || ready.needs_limit) open();
      else await startWith({ ...choices });
    },
    onError: (error) => notifyFailed("Could not start the build", error),
  });
  useActions([mayChange && !begin.isPending && { name: "startBuild", run: () => begin.mutate() }]);
  if (!mayChange) return null;
  return (
    <>
      <Button.Group>
        <Button
          {...button}
          leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
          loading={begin.isPending}
          onClick={() => begin.mutate()}
        >
          {label}
        </Button>
        <Button
          {...button}
          px="xs"
          aria-label="Start options"
          aria-haspopup="dialog"
          onClick={open}
        >
          <IconAdjustmentsHorizontal size={16} aria-hidden />
        </Button>
      </Button.Group>
      <StartDialog
        projectId={projectId}
        opened={opened}
        initial={choices}
        onClose={close}
        onStart={startWith}
      />
    </>
  );
}
