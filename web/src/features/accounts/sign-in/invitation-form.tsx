import { Button, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { PasswordField } from "@/components/password-field";
import { ApiError } from "@/lib/api-error";
import { useAcceptInvitation } from "../api";
import { FormError } from "./form-error";

export function InvitationForm({ token, onDone }: { token: string; onDone: () => void }) {
  const accept = useAcceptInvitation();
  const form = useForm({
    initialValues: { password: "" },
    validate: {
      password: (value) => (value.length >= 10 ? null : "Use at least 10 characters"),
    },
  });
  const submit = form.onSubmit(({ password }) =>
    accept.mutate(
      { token, password },
      {
        onSuccess: onDone,
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError error={accept.error} />
        <PasswordField
          label="Password"
          description="At least 10 characters"
          autoComplete="new-password"
          autoFocus
          {...form.getInputProps("password")}
        />
        <Button type="submit" fullWidth loading={accept.isPending}>
          Set password and sign in
        </Button>
      </Stack>
    </form>
  );
}
