import { Alert, Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "react-router";
import { paths } from "@/lib/paths";
import { ApiError, messageOf } from "@/lib/problem";
import { useCreateProject } from "./api";

export function NewProject({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = useCreateProject();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { name: "", description: "" },
    validate: { name: (value) => (value.trim() ? null : "Give the project a name") },
  });
  const close = () => {
    onClose();
    form.reset();
    create.reset();
  };
  const submit = form.onSubmit((values) =>
    create.mutate(values, {
      onSuccess: (project) => {
        close();
        navigate(paths.questionnaire(project.id));
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  );
  return (
    <Modal opened={opened} onClose={close} title="New project" centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {create.isError && (
            <Alert color="red" role="alert" p="sm">
              {messageOf(create.error)}
            </Alert>
          )}
          <TextInput label="Name" maxLength={120} data-autofocus {...form.getInputProps("name")} />
          <Textarea
            label="Description"
            description="One or two sentences: what it does, and for whom"
            autosize
            minRows={3}
            maxRows={8}
            maxLength={2000}
            {...form.getInputProps("description")}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create project
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
