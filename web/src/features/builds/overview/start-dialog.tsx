import { Alert, Anchor, Button, List, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { BudgetFields } from "@/components/budget-fields";
import { DialogActions } from "@/components/dialog-actions";
import { QueryView } from "@/components/query-view";
import { INHERITED_LIMITS } from "@/domain/budget-limits";
import { useBuildReadiness } from "@/domain/build-readiness";
import type { BudgetLimits, BuildReadiness } from "@/lib/api";
import { ApiError, messageOf } from "@/lib/api-error";
import { paths } from "@/lib/paths";

interface StartDialogProps {
  projectId: string;
  opened: boolean;
  onClose: () => void;
  onStart: (limits: BudgetLimits) => Promise<unknown>;
}

/** What prevents the build from starting, and its budget limits. */
export function StartDialog({ projectId, opened, onClose, onStart }: StartDialogProps) {
  const readiness = useBuildReadiness(projectId, opened);
  return (
    <Modal opened={opened} onClose={onClose} title="Start build" centered size="lg">
      <QueryView query={readiness} what="build requirements">
        {(ready) => (
          <StartForm projectId={projectId} ready={ready} onClose={onClose} onStart={onStart} />
        )}
      </QueryView>
    </Modal>
  );
}

interface StartFormProps extends Omit<StartDialogProps, "opened"> {
  ready: BuildReadiness;
}

function StartForm({ projectId, ready, onClose, onStart }: StartFormProps) {
  const [limits, setLimits] = useState(INHERITED_LIMITS);
  const start = useMutation({ mutationFn: () => onStart(limits) });
  const blocked = ready.obstacles.length > 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <Stack gap="md">
        {blocked && <Obstacles projectId={projectId} obstacles={ready.obstacles} />}
        {start.isError && (
          <Alert color="red" role="alert" p="sm" title="Could not start the build">
            {messageOf(start.error)}
          </Alert>
        )}
        <Text fz="sm" c="dimmed">
          {ready.model && `Model: ${ready.model}. `}A build that reaches a limit is blocked until
          you increase it. Leave a field empty to use the project's limit.
        </Text>
        <BudgetFields
          limits={limits}
          inherited={ready.budgets}
          errors={start.error instanceof ApiError ? start.error.fields : {}}
          onChange={setLimits}
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={start.isPending} disabled={blocked}>
            Start build
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}

function Obstacles({
  projectId,
  obstacles,
}: {
  projectId: string;
  obstacles: BuildReadiness["obstacles"];
}) {
  return (
    <Alert color="yellow" p="sm" title="The build cannot start yet" role="alert">
      <List fz="sm" spacing={4}>
        {obstacles.map(({ kind, message }) => (
          <List.Item key={message}>
            {message}{" "}
            {(kind === "gaps" || kind === "requirements") && (
              <Anchor component={Link} to={paths.contracts(projectId)} fz="sm">
                Review contracts
              </Anchor>
            )}
            {kind === "phases" && (
              <Anchor component={Link} to={paths.contract(projectId, "phases")} fz="sm">
                Open phases contract
              </Anchor>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
