import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconPlayerPlayFilled } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { useActions } from "@/domain/actions";
import { INHERITED_LIMITS } from "@/domain/budget-limits";
import { buildReadiness } from "@/domain/build-readiness";
import { useCanEdit } from "@/domain/project-access";
import type { BudgetLimits } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { useStartBuild } from "../api";
import { StartDialog } from "./start-dialog";

interface StartBuildProps extends ButtonProps {
  projectId: string;
  label?: string;
}

/** Starts a build, or opens the dialog if something prevents it. */
export function StartBuild({ projectId, label = "Start build", ...button }: StartBuildProps) {
  const mayChange = useCanEdit();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const start = useStartBuild(projectId);
  const startWith = (limits: BudgetLimits) =>
    start.mutateAsync(limits).then((build) => navigate(paths.build(projectId, build.id)));
  const begin = useMutation({
    mutationFn: async () => {
      const { obstacles } = await client.fetchQuery(buildReadiness(projectId));
      if (obstacles.length > 0) open();
      else await startWith(INHERITED_LIMITS);
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
        <Button {...button} px="xs" aria-label="Set limits" aria-haspopup="dialog" onClick={open}>
          <IconAdjustmentsHorizontal size={16} aria-hidden />
        </Button>
      </Button.Group>
      <StartDialog projectId={projectId} opened={opened} onClose={close} onStart={startWith} />
    </>
  );
}
