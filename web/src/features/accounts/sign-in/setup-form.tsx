import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { PasswordField } from "@/components/password-field";
import { ApiError } from "@/lib/api-error";
import { useCreateFirstAccount } from "../api";
import { FormError } from "./form-error";

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
      password: (value) => (value.length >= 10 ? null : "Use at least 10 characters"),
    },
  });
  const submit = form.onSubmit((values) =>
    create.mutate(values, {
      onSuccess: ({ landIn }) => onDone(landIn),
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError
          error={create.error}
          unauthorized="This setup link is no longer valid. Use the latest one printed in the terminal."
        />
        {!token && (
          <TextInput label="Setup token" autoComplete="off" {...form.getInputProps("token")} />
        )}
        <TextInput
          label="Your name"
          autoComplete="name"
          autoFocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          {...form.getInputProps("email")}
        />
        <PasswordField
          label="Password"
          description="At least 10 characters"
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <Button type="submit" fullWidth loading={create.isPending} mt="xs">
          Create account
        </Button>
      </Stack>
    </form>
  );
}
