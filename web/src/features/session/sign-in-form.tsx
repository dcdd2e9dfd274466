import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { PasswordField } from "@/components/password-field";
import { useSignIn } from "./api";
import { FormProblem } from "./form-problem";

export function SignInForm({ onDone }: { onDone: () => void }) {
  const signIn = useSignIn();
  const form = useForm({
    initialValues: { email: "", password: "" },
    validate: {
      email: (value) => (value.includes("@") ? null : "Write your email address"),
      password: (value) => (value ? null : "Write your password"),
    },
  });
  return (
    <form
      onSubmit={form.onSubmit((values) => signIn.mutate(values, { onSuccess: onDone }))}
      noValidate
    >
      <Stack gap="md">
        <FormProblem
          error={signIn.error}
          unauthorized="That email and password do not belong together."
        />
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
      </Stack>
    </form>
  );
}
