import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { NEW_PASSWORD_HINT, validateNewPassword } from "@/domain/new-password";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useAcceptInvitation } from "../api";

export function InvitationForm({ token, onDone }: { token: string; onDone: () => void }) {
  const accept = useAcceptInvitation();
  const form = useForm({
    initialValues: { password: "" },
    validate: {
      password: validateNewPassword,
    },
  });
  const submit = form.onSubmit(({ password }) =>
    accept.mutate(
      { token, password },
      {
        onSuccess: onDone,
        onError: showFieldErrors(form),
      },
    ),
  );
  return (
    <Form onSubmit={submit} error={accept.error}>
      <PasswordField
        label="Password"
        description={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        autoFocus
        {...form.getInputProps("password")}
      />
      <Button type="submit" fullWidth loading={accept.isPending}>
        Set password and sign in
      </Button>
    </Form>
  );
}
