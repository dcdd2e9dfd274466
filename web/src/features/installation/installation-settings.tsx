import { Button, Group, SimpleGrid, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { BudgetFields } from "@/components/budget-fields";
import { Form } from "@/components/form";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import type { RoleModel, Schemas, InstallationSettings as Settings } from "@/lib/api";
import { notifyDone } from "@/lib/notify";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useUnsavedChanges } from "@/lib/unsaved-changes";
import { useInstallationSettings, useSaveInstallationSettings } from "./api";
import { ProviderKeys } from "./provider-keys";

type Update = Schemas["UpdateInstallationSettingsRequest"];
type Choice = "default" | "scout" | "coder" | "auditor" | "fixer";

const LABELS: Record<Choice, string> = {
  default: "Default",
  scout: "Scout",
  coder: "Coder",
  auditor: "Auditor",
  fixer: "Fixer",
};

export function InstallationSettings() {
  const query = useInstallationSettings();
  return (
    <>
      <ProviderKeys />
      <QueryView query={query} what="installation settings">
        {(settings) => <SettingsForm settings={settings} />}
      </QueryView>
    </>
  );
}

const choiceOf = ({ role }: RoleModel): Choice => role ?? "default";

const updateOf = ({ budgets, models }: Settings): Update => ({
  budgets,
  models: Object.fromEntries(models.map((model) => [choiceOf(model), model.chosen ?? ""])),
});

function SettingsForm({ settings }: { settings: Settings }) {
  const save = useSaveInstallationSettings();
  const form = useForm<Update>({ initialValues: updateOf(settings) });
  useUnsavedChanges(form.isDirty);
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onSuccess: (saved) => {
        form.setInitialValues(updateOf(saved));
        form.setValues(updateOf(saved));
        notifyDone("Settings saved. Limits apply to new builds, models to the next agent run.");
      },
      onError: showFieldErrors(form),
    }),
  );
  return (
    <Form onSubmit={submit} error={save.error}>
      <SectionCard
        title="Build limits"
        description="For projects without their own limits. A build that reaches a limit is blocked until the limit is increased."
      >
        <BudgetFields
          limits={form.values.budgets}
          inherited={settings.default_budgets}
          levels={{}}
          errors={form.errors}
          onChange={(budgets) => form.setFieldValue("budgets", budgets)}
        />
      </SectionCard>
      <SectionCard
        title="Models"
        description="Enter provider and model, such as anthropic/claude-sonnet-5-5, or with ?effort=high how much it should think. A role without a model uses the default. The environment and the configuration file take precedence."
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          {settings.models.map((model) => (
            <ModelField
              key={choiceOf(model)}
              model={model}
              {...form.getInputProps(`models.${choiceOf(model)}`)}
            />
          ))}
        </SimpleGrid>
      </SectionCard>
      <Group justify="flex-end">
        <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
          Save settings
        </Button>
      </Group>
    </Form>
  );
}

function ModelField({ model, ...input }: { model: RoleModel }) {
  const inUse = model.in_use ? `In use: ${model.in_use}` : "The selected model is not available";
  if (model.fixed_by === null) {
    return <TextInput label={LABELS[choiceOf(model)]} description={inUse} {...input} />;
  }
  return (
    <TextInput
      label={LABELS[choiceOf(model)]}
      description={`Set by ${model.fixed_by}`}
      value={model.in_use ?? ""}
      disabled
      readOnly
    />
  );
}
