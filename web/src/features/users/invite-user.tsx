import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Invitation } from "@/lib/api";
import { ApiError, messageOf } from "@/lib/problem";
import { useCreateUser } from "./api";
import { ROLES } from "./roles";

interface InviteUserProps {
  opened: boolean;
  onClose: () => void;
  onInvited: (name: string, invitation: Invitation) => void;
}

export function InviteUser({ opened, onClose, onInvited }: InviteUserProps) {
  const create = useCreateUser();
  const form = useForm({
    initialValues: { name: "", email: "", role: "user" as "user" | "admin" },
    validate: {
      name: (value) => (value.trim() ? null : "Write their name"),
      email: (value) => (value.includes("@") ? null : "Write their email address"),
    },
  });
  const close = () => {
    onClose();
    form.reset();
    create.reset();
  };
  const submit = form.onSubmit((values) =>
    create.mutate(values, {
      onSuccess: ({ name, invitation }) => {
        close();
        if (invitation) onInvited(name, invitation);
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  );
  const isGeneral = create.error instanceof ApiError && !Object.keys(create.error.fields).length;
  return (
    <Modal opened={opened} onClose={close} title="Invite somebody" centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput label="Name" data-autofocus maxLength={80} {...form.getInputProps("name")} />
          <TextInput
            label="Email"
            type="email"
            description="They sign in with it. Nothing is sent: you get a link to pass on."
            {...form.getInputProps("email")}
            error={form.errors.email ?? (isGeneral && messageOf(create.error))}
          />
          <Select label="Role" data={ROLES} allowDeselect={false} {...form.getInputProps("role")} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Invite
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
