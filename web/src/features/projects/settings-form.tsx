import { Alert, Button, Group, NumberInput, Stack, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { SectionCard } from "@/components/section-card";
import type { ProjectSettings } from "@/lib/api";
import { notifyDone } from "@/lib/notify";
import { ApiError, messageOf } from "@/lib/problem";
import { useSaveSettings } from "./api";
import { GatesCard } from "./gates-card";
import { PermissionsCard } from "./permissions-card";
import { validateSettings } from "./validate-settings";

interface SettingsFormProps {
  projectId: string;
  settings: ProjectSettings;
}

export function SettingsForm({ projectId, settings }: SettingsFormProps) {
  const save = useSaveSettings(projectId);
  const form = useForm<ProjectSettings>({ initialValues: settings, validate: validateSettings });
  const timeout = form.values.clarification_timeout_s ?? null;
  const submit = form.onSubmit((values) =>
    save.mutate(values, {
      onSuccess: (saved) => {
        form.setInitialValues(saved);
        form.setValues(saved);
        notifyDone("Settings saved. They hold from the next build on.");
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {save.isError && (
          <Alert color="red" role="alert" p="sm">
            {messageOf(save.error)}
          </Alert>
        )}
        <GatesCard projectId={projectId} form={form} />
        <PermissionsCard projectId={projectId} form={form} />
        <SectionCard
          title="Questions"
          description="How long the builder waits for an answer before it decides itself."
        >
          <Group gap="lg" align="flex-end">
            <Switch
              label="Wait as long as it takes"
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
                label="Minutes to wait"
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
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save settings
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
