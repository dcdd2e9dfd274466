import { Alert, Button, Checkbox, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { PasswordField } from "@/components/password-field";
import { SectionCard } from "@/components/section-card";
import { ApiError, messageOf } from "@/lib/api-error";
import { notifyDone } from "@/lib/notify";
import { useChangePassword } from "./api";

export function ChangePassword() {
  const change = useChangePassword();
  const form = useForm({
    initialValues: { current: "", new: "", revoke_keys: false },
    validate: {
      current: (value) => (value ? null : "Enter your current password"),
      new: (value) => (value.length >= 10 ? null : "Use at least 10 characters"),
    },
  });
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        form.reset();
        notifyDone("Password changed.");
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  );
  return (
    <SectionCard title="Password">
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw="24rem">
          {change.isError && (
            <Alert color="red" role="alert" p="sm">
              {messageOf(change.error)}
            </Alert>
          )}
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps("current")}
          />
          <PasswordField
            label="New password"
            description="At least 10 characters"
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
        </Stack>
      </form>
    </SectionCard>
  );
}
