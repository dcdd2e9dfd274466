import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { CommandLineBlock } from "@/components/command-line-block";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { FormModal } from "@/components/form-modal";
import { PasswordField } from "@/components/password-field";
import { showFieldErrors } from "@/lib/show-field-errors";
import { hostOf, tokenScopes } from "./address";
import { type Credential, type CredentialOwner, useCreateCredential } from "./api";

interface NewCredentialProps {
  owner: CredentialOwner;
  onClose: () => void;
}

const ADD: Record<Credential["kind"], string> = {
  token: "Add token",
  ssh_key: "Generate key",
};

/** Asks for a token, or generates a key and shows its public part. */
export function NewCredential({ owner, onClose }: NewCredentialProps) {
  const add = useCreateCredential();
  const form = useForm({
    initialValues: { kind: "token" as Credential["kind"], name: "", host: "", token: "" },
    validate: {
      name: (value) => (value.trim() ? null : "Enter a name"),
      host: (value) => (value.trim() ? null : "Enter a host"),
      token: (value, { kind }) => (kind === "ssh_key" || value.trim() ? null : "Enter a token"),
    },
  });
  const { kind, host } = form.values;
  const server = hostOf(host) || host.trim();
  const submit = form.onSubmit(({ token, ...values }) => {
    const of =
      typeof owner === "string"
        ? { scope: owner }
        : { scope: "project" as const, project: owner.project };
    add.mutate(
      { ...of, ...values, ...(kind === "token" && { token }) },
      {
        onSuccess: (added) => !added.public_key && onClose(),
        onError: showFieldErrors(form),
      },
    );
  });
  const key = add.data?.public_key;
  return (
    <FormModal
      opened
      onClose={onClose}
      title={key ? "Your new deploy key" : "Add credential"}
      centered
    >
      {key ? (
        <Stack>
          <Text fz="sm">
            Add this public key to the repository on {add.data?.host} as a deploy key, with write
            access if builds are delivered there:
          </Text>
          <CommandLineBlock command={key} what="public key" />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Form onSubmit={submit} error={add.error}>
          <NativeSelect
            label="Kind"
            data={[
              { value: "token", label: "Access token, for https addresses" },
              { value: "ssh_key", label: "Deploy key, for ssh addresses" },
            ]}
            {...form.getInputProps("kind")}
          />
          <TextInput
            label="Name"
            description="Shown where a credential is chosen"
            maxLength={80}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <TextInput
            label="Host"
            description="Such as github.com, or the address of a repository there. The credential is sent to no other host."
            maxLength={250}
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps("host")}
          />
          {kind === "token" && (
            <PasswordField
              label="Access token"
              description={`${tokenScopes(server)} It is stored encrypted and never shown again.`}
              autoComplete="off"
              {...form.getInputProps("token")}
            />
          )}
          <DialogActions onCancel={onClose}>
            <Button type="submit" loading={add.isPending}>
              {ADD[kind]}
            </Button>
          </DialogActions>
        </Form>
      )}
    </FormModal>
  );
}
