import { Button, Group, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "react-router";
import { Form } from "@/components/form";
import { SectionCard } from "@/components/section-card";
import type { Project } from "@/lib/api";
import { notifyDone } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useUnsavedChanges } from "@/lib/unsaved-changes";
import { useUpdateProject } from "./api";

/** Name and description. */
export function NameCard({ project }: { project: Project }) {
  const update = useUpdateProject(project.id);
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { name: project.name, description: project.description },
    validate: { name: (name) => (name.trim() ? null : "Enter a name") },
  });
  useUnsavedChanges(form.isDirty);
  const submit = form.onSubmit((values) =>
    update.mutate(values, {
      onSuccess: (changed) => {
        const { name, description } = changed;
        form.setInitialValues({ name, description });
        form.setValues({ name, description });
        notifyDone("Project saved.");
        navigate(paths.projectSettings(project.id), { replace: true, preventScrollReset: true });
      },
      onError: showFieldErrors(form),
    }),
  );
  return (
    <SectionCard
      title="Name and description"
      description="A new name changes the project's address. Earlier addresses still lead to it."
    >
      <Form onSubmit={submit} error={update.error}>
        <TextInput label="Name" maxLength={120} required {...form.getInputProps("name")} />
        <Textarea
          label="Description"
          maxLength={2_000}
          autosize
          minRows={2}
          {...form.getInputProps("description")}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Form>
    </SectionCard>
  );
}
