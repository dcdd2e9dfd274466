import { Button, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { DialogActions } from "@/components/dialog-actions";
import { FormModal } from "@/components/form-modal";
import type { Invitation } from "@/lib/api";
import { ApiError, messageOf } from "@/lib/api-error";
import { showFieldErrors } from "@/lib/show-field-errors";
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
      name: (value) => (value.trim() ? null : "Enter a name"),
      email: (value) => (value.includes("@") ? null : "Enter an email address"),
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
      onError: showFieldErrors(form),
    }),
  );
  const isGeneral = create.error instanceof ApiError && !Object.keys(create.error.fields).length;
  return (
    <FormModal opened={opened} onClose={close} title="Invite user" centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput label="Name" data-autofocus maxLength={80} {...form.getInputProps("name")} />
          <TextInput
            label="Email"
            type="email"
            description="Used to sign in. No email is sent: you get an invitation link to share."
            {...form.getInputProps("email")}
            error={form.errors.email ?? (isGeneral && messageOf(create.error))}
          />
          <Select label="Role" data={ROLES} allowDeselect={false} {...form.getInputProps("role")} />
          <DialogActions onCancel={close}>
            <Button type="submit" loading={create.isPending}>
              Create invitation
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
