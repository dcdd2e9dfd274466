import { Alert, Button, Group, NumberInput, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useState } from "react";
import { BudgetFields } from "@/components/budget-fields";
import { ExecutorField } from "@/components/executor-field";
import { Form } from "@/components/form";
import { PlanApprovalField } from "@/components/plan-approval-field";
import { SectionCard } from "@/components/section-card";
import { INHERITED_LIMITS } from "@/domain/budget-limits";
import { useBuildReadiness } from "@/domain/build-readiness";
import type { BudgetLimits, Budgets, ProjectSettings } from "@/lib/api";
import { notifyDone } from "@/lib/notify";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useUnsavedChanges } from "@/lib/unsaved-changes";
import { useSaveSettings } from "./api";
import { DeliveryCard } from "./delivery-card";
import { GatesCard } from "./gates-card";
import { PermissionsCard } from "./permissions-card";
import { createSettingsDraft } from "./settings-draft";
import { TestChecksCard } from "./test-checks-card";
import { validateSettings } from "./validate-settings";

interface SettingsFormProps {
  projectId: string;
  settings: ProjectSettings;
  /** The limits that apply where the project sets none. */
  inherited: Budgets;
  /** The limits that the installation sets, which the project's can only tighten. */
  installationLimits: BudgetLimits;
}

export function SettingsForm(props: SettingsFormProps) {
  const { projectId, settings, inherited, installationLimits } = props;
  const save = useSaveSettings(projectId);
  const readiness = useBuildReadiness(projectId);
  const [draft] = useState(() => createSettingsDraft(projectId));
  const form = useForm<ProjectSettings>({
    initialValues: settings,
    validate: validateSettings,
    onValuesChange: draft.write,
  });
  const [restored, setRestored] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form appears
  useEffect(() => {
    const unsaved = draft.read();
    if (!unsaved || JSON.stringify(unsaved) === JSON.stringify(settings)) return;
    form.setValues(unsaved);
    setRestored(true);
  }, []);
  function forgetDraft() {
    draft.clear();
    setRestored(false);
  }
  useUnsavedChanges(form.isDirty, draft.clear);
  const timeout = form.values.clarification_timeout_s ?? null;
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onSuccess: (saved) => {
        form.setInitialValues(saved);
        form.setValues(saved);
        forgetDraft();
        notifyDone("Settings saved. They apply to new builds.");
      },
      onError: showFieldErrors(form),
    }),
  );
  return (
    <Form onSubmit={submit} error={save.error}>
      {restored && (
        <Alert color="blue" role="status" p="sm">
          <Group justify="space-between" gap="xs">
            Your unsaved changes were restored.
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                form.setValues(settings);
                forgetDraft();
              }}
            >
              Discard changes
            </Button>
          </Group>
        </Alert>
      )}
      <GatesCard projectId={projectId} form={form} />
      <TestChecksCard form={form} />
      <PermissionsCard projectId={projectId} form={form} />
      <SectionCard
        title="Build limits"
        description="A build that reaches a limit is blocked until the limit is increased. Leave a field empty to use the installation's limit; a limit of the installation can only be tightened."
      >
        <BudgetFields
          limits={form.values.budgets ?? INHERITED_LIMITS}
          inherited={inherited}
          levels={{ installation: installationLimits }}
          errors={form.errors}
          onChange={(budgets) => form.setFieldValue("budgets", budgets)}
        />
      </SectionCard>
      <SectionCard
        title="Builds at a time"
        description="Each build works on its own branch. Items of the backlog that may change the same files still wait for each other. A build whose base branch has changed merges it before its seal."
      >
        <NumberInput
          label="Unfinished builds at a time"
          min={1}
          max={10}
          clampBehavior="strict"
          w={220}
          {...form.getInputProps("max_concurrent_builds")}
        />
      </SectionCard>
      <SectionCard
        title="Plan approval"
        description="Which plans you approve before agents carry them out. A build can be started with another choice."
      >
        <PlanApprovalField
          value={form.values.plan_approval ?? "never"}
          onChange={(choice) => choice && form.setFieldValue("plan_approval", choice)}
        />
      </SectionCard>
      <SectionCard
        title="Coding agent"
        description="What carries out plans and makes the first attempts to fix. Plans, audits and gates are always ForgeGuard's own. A build can be started with another choice."
      >
        <ExecutorField
          value={form.values.executor ?? "builtin"}
          executors={readiness.data?.executors ?? []}
          onChange={(choice) => choice && form.setFieldValue("executor", choice)}
        />
      </SectionCard>
      <SectionCard
        title="Questions"
        description="How long agents wait for an answer before they decide."
      >
        <Group gap="lg" align="flex-end">
          <Switch
            label="Wait indefinitely"
            checked={timeout === null}
            onChange={(event) =>
              form.setFieldValue(
                "clarification_timeout_s",
                event.currentTarget.checked ? null : 600,
              )
            }
            mb={8}
          />
          {timeout !== null && (
            <NumberInput
              label="Timeout (minutes)"
              min={1}
              max={1440}
              w={140}
              value={Math.round(timeout / 60)}
              onChange={(value) =>
                form.setFieldValue("clarification_timeout_s", Math.max(1, Number(value)) * 60)
              }
            />
          )}
        </Group>
      </SectionCard>
      <DeliveryCard form={form} />
      <Group justify="flex-end">
        <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
          Save settings
        </Button>
      </Group>
    </Form>
  );
}
