import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { useSignIn } from "../api";

export function SignInForm({ onDone }: { onDone: () => void }) {
  const signIn = useSignIn();
  const form = useForm({
    initialValues: { email: "", password: "" },
    validate: {
      email: (value) => (value.includes("@") ? null : "Enter your email address"),
      password: (value) => (value ? null : "Enter your password"),
    },
  });
  return (
    <Form
      onSubmit={form.onSubmit((values) => signIn.mutate(values, { onSuccess: onDone }))}
      error={signIn.error}
      unauthorized="Incorrect email or password."
    >
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        autoFocus
        {...form.getInputProps("email")}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        {...form.getInputProps("password")}
      />
      <Button type="submit" fullWidth loading={signIn.isPending} mt="xs">
        Sign in
      </Button>
    </Form>
  );
}
