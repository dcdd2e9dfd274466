import { Alert, Box, Button, Checkbox, Stack, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { BudgetFields } from "@/components/budget-fields";
import { DialogActions } from "@/components/dialog-actions";
import { Disclosure } from "@/components/disclosure";
import { Form } from "@/components/form";
import { FormModal } from "@/components/form-modal";
import { QueryView } from "@/components/query-view";
import { INHERITED_LIMITS } from "@/domain/budget-limits";
import { useBuildReadiness } from "@/domain/build-readiness";
import type { BudgetLimits, BuildReadiness, StartChoices, StartOptions } from "@/lib/api";
import { ApiError } from "@/lib/api-error";
import { AgentOptions } from "./agent-options";
import { EstimateText } from "./estimate-text";
import { ReadinessList } from "./readiness-list";
import { StartFrom } from "./start-from";

/** Before readiness is checked for changed choices. */
const CHOICES_DELAY_MS = 400;
export const MAX_TITLE_LENGTH = 120;
export const MAX_DESCRIPTION_LENGTH = 2_000;

interface StartDialogProps {
  projectId: string;
  opened: boolean;
  onClose: () => void;
  onStart: (options: StartOptions) => Promise<unknown>;
  /** What the fields contain at first. */
  initial?: Pick<StartOptions, "title" | "description"> & StartChoices;
}

/** What prevents the build from starting, and the options that it starts with. */
export function StartDialog({
  projectId,
  opened,
  onClose,
  onStart,
  initial = {},
}: StartDialogProps) {
  const { title, description, ...chosen } = initial;
  const [choices, setChoices] = useState<StartChoices>(chosen);
  const [settled] = useDebouncedValue(choices, CHOICES_DELAY_MS);
  const readiness = useBuildReadiness(projectId, opened, settled);
  return (
    <FormModal opened={opened} onClose={onClose} title="Start build" centered size="lg">
      <QueryView query={readiness} what="build requirements">
        {(ready) => (
          <StartForm
            projectId={projectId}
            ready={ready}
            texts={{ title, description }}
            choices={choices}
            onChoose={(changed) => setChoices({ ...choices, ...changed })}
            onClose={onClose}
            onStart={onStart}
          />
        )}
      </QueryView>
    </FormModal>
  );
}

interface StartFormProps extends Omit<StartDialogProps, "opened" | "initial"> {
  ready: BuildReadiness;
  texts: Pick<StartOptions, "title" | "description">;
  choices: StartChoices;
  onChoose: (changed: Partial<StartChoices>) => void;
}

/** No limits of its own, except a suggested one where none applies to a paid model. */
function initialLimits({ needs_limit, suggested_usd_micros }: BuildReadiness): BudgetLimits {
  return needs_limit
    ? { ...INHERITED_LIMITS, usd_micros: suggested_usd_micros ?? null }
    : INHERITED_LIMITS;
}

function StartForm(props: StartFormProps) {
  const { projectId, ready, texts, choices, onChoose, onClose, onStart } = props;
  const [options, setOptions] = useState<StartOptions>({
    ...texts,
    budgets: initialLimits(ready),
  });
  // The first phase can be chosen after them.
  const phase_executors = options.phase_executors?.filter(
    ({ phase }) => phase >= (choices.first_phase ?? 0),
  );
  const start = useMutation({
    mutationFn: () => onStart({ ...options, ...choices, phase_executors }),
  });
  const change = (changed: Partial<StartOptions>) => setOptions({ ...options, ...changed });
  const blocked = ready.obstacles.length > 0;
  const warned = ready.warnings.length > 0;
  const errors = start.error instanceof ApiError ? start.error.fields : {};
  const limits = {
    limits: options.budgets ?? INHERITED_LIMITS,
    inherited: ready.budgets,
    levels: { installation: ready.installation_limits, project: ready.project_limits },
    errors,
    onChange: (budgets: BudgetLimits) => change({ budgets }),
  };
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
      error={start.error}
    >
      {errors.use_last_fetch && (
        <Checkbox
          label="Start from the last fetched state"
          checked={options.use_last_fetch ?? false}
          onChange={(event) => change({ use_last_fetch: event.currentTarget.checked })}
        />
      )}
      {blocked ? (
        <Alert color="yellow" p="sm" title="The build cannot start yet" role="alert">
          <ReadinessList projectId={projectId} ready={ready} />
        </Alert>
      ) : (
        <Disclosure
          summary={warned ? "Ready, with warnings" : "Ready to start"}
          openByDefault={warned}
        >
          <Box pt="xs">
            <ReadinessList projectId={projectId} ready={ready} />
          </Box>
        </Disclosure>
      )}
      <TextInput
        label="Title"
        description="What should change, in one line. Optional."
        data-autofocus
        maxLength={MAX_TITLE_LENGTH}
        error={errors.title}
        value={options.title ?? ""}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        description="Passed to the agents in addition to the contracts. Optional."
        autosize
        minRows={2}
        maxRows={8}
        maxLength={MAX_DESCRIPTION_LENGTH}
        error={errors.description}
        value={options.description ?? ""}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      {ready.needs_limit && <BudgetFields {...limits} names={["usd_micros", "tokens"]} />}
      <EstimateText
        estimate={ready.estimate}
        model={ready.model}
        asksForLimit={ready.needs_limit}
      />
      <Disclosure summary="Limits and options">
        <Stack gap="md" pt="xs">
          <BudgetFields
            {...limits}
            names={
              ready.needs_limit
                ? ["minutes", "iterations", "clarifications", "permission_prompts"]
                : undefined
            }
          />
          <AgentOptions
            options={options}
            choices={choices}
            ready={ready}
            onChange={change}
            onChoose={onChoose}
          />
        </Stack>
      </Disclosure>
      <Disclosure summary="Advanced">
        <StartFrom
          projectId={projectId}
          choices={choices}
          ready={ready}
          errors={errors}
          onChange={onChoose}
        />
      </Disclosure>
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={start.isPending} disabled={blocked}>
          Start build
        </Button>
      </DialogActions>
    </Form>
  );
}
