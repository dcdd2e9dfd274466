import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { NEW_PASSWORD_HINT, validateNewPassword } from "@/domain/new-password";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useCreateFirstAccount } from "../api";

interface SetupFormProps {
  token: string;
  onDone: (projectId: string | null) => void;
}

export function SetupForm({ token, onDone }: SetupFormProps) {
  const create = useCreateFirstAccount();
  const form = useForm({
    initialValues: { token, name: "", email: "", password: "" },
    validate: {
      token: (value) => (value.trim() ? null : "Enter the token from the link in the terminal"),
      name: (value) => (value.trim() ? null : "Enter your name"),
      email: (value) => (value.includes("@") ? null : "Enter your email address"),
      password: validateNewPassword,
    },
  });
  const submit = form.onSubmit((values) =>
    create.mutate(values, {
      onSuccess: ({ landIn }) => onDone(landIn),
      onError: showFieldErrors(form),
    }),
  );
  return (
    <Form
      onSubmit={submit}
      error={create.error}
      unauthorized="This setup link is no longer valid. Use the latest one printed in the terminal."
    >
      {!token && (
        <TextInput label="Setup token" autoComplete="off" {...form.getInputProps("token")} />
      )}
      <TextInput label="Your name" autoComplete="name" autoFocus {...form.getInputProps("name")} />
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        {...form.getInputProps("email")}
      />
      <PasswordField
        label="Password"
        description={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        {...form.getInputProps("password")}
      />
      <Button type="submit" fullWidth loading={create.isPending} mt="xs">
        Create account
      </Button>
    </Form>
  );
}
