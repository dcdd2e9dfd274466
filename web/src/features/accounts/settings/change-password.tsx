import { Button, Checkbox } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { SectionCard } from "@/components/section-card";
import { NEW_PASSWORD_HINT, validateNewPassword } from "@/domain/new-password";
import { notifyDone } from "@/lib/notify";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useIdentities } from "../providers-api";
import { useChangePassword } from "./api";

export function ChangePassword() {
  const change = useChangePassword();
  const hasPassword = useIdentities().data?.has_password;
  const form = useForm({
    initialValues: { current: "", new: "", revoke_keys: false },
    validate: {
      current: (value) => (value ? null : "Enter your current password"),
      new: validateNewPassword,
    },
  });
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        notifyDone("Password changed.");
      },
      onError: showFieldErrors(form),
    }),
  );
  // An account that signs in with a provider only has none to change.
  if (hasPassword === false) return null;
  return (
    <SectionCard title="Password">
      <Form onSubmit={submit} error={change.error} maw="24rem">
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          {...form.getInputProps("current")}
        />
        <PasswordField
          label="New password"
          description={NEW_PASSWORD_HINT}
          autoComplete="new-password"
          {...form.getInputProps("new")}
        />
        <Checkbox
          label="Revoke all my forge keys"
          {...form.getInputProps("revoke_keys", { type: "checkbox" })}
        />
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          style={{ alignSelf: "flex-start" }}
        >
          Change password
        </Button>
      </Form>
    </SectionCard>
  );
}
