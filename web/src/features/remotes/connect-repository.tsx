import { Alert, Button, NativeSelect, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useNavigate } from "react-router";
import { CommandLineBlock } from "@/components/command-line-block";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { showFieldErrors } from "@/lib/show-field-errors";
import { hostOf, isSsh, tokenScopes } from "./address";
import {
  useConnectRemote,
  useCreateCredential,
  useCredentials,
  useImportProject,
  useTestRemote,
} from "./api";

const NONE = "";
const NEW_TOKEN = "new";

interface ConnectRepositoryProps {
  /** An existing project; a new one is created without it. */
  project?: string;
  onClose: () => void;
}

/** Connects a repository on another server, as a new project or to an existing one. */
export function ConnectRepository({ project, onClose }: ConnectRepositoryProps) {
  const navigate = useNavigate();
  const credentials = useCredentials();
  const addCredential = useCreateCredential();
  const test = useTestRemote();
  const create = useImportProject();
  const connect = useConnectRemote(project ?? "");
  const [busy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { url: "", name: "", credential: NONE, token: "" },
    validate: {
      url: (value) => (value.trim() ? null : "Enter the address of a repository"),
      token: (value, { credential }) =>
        credential === NEW_TOKEN && !value.trim() ? "Enter a token" : null,
    },
    onValuesChange: () => test.reset(),
  });
  const { url, credential } = form.values;
  const [host, ssh] = [hostOf(url), isSsh(url.trim())];
  const usable = (credentials.data ?? []).filter(
    (one) => one.host === host && one.scope !== "project" && (one.kind === "ssh_key") === ssh,
  );
  // Another address may need another credential.
  const isKnown = credential === NEW_TOKEN ? !ssh : usable.some(({ id }) => id === credential);
  const chosen = isKnown ? credential : NONE;
  const key = usable.find(({ id }) => id === chosen)?.public_key;

  const generateKey = () =>
    addCredential.mutate(
      { scope: "user", name: `Deploy key for ${host}`.slice(0, 80), host, kind: "ssh_key" },
      {
        onSuccess: ({ id }) => form.setFieldValue("credential", id),
        onError: (error) => notifyFailed("Could not generate a key", error),
      },
    );
  /** The id of the chosen credential; a new token is stored first. */
  const credentialId = async () => {
    if (chosen !== NEW_TOKEN) return chosen || null;
    const added = await addCredential.mutateAsync({
      scope: "user",
      name: `Token for ${host}`.slice(0, 80),
      host,
      kind: "token",
      token: form.values.token,
    });
    form.setValues({ credential: added.id, token: "" });
    return added.id;
  };
  const run = (action: (id: string | null) => Promise<void>) =>
    form.onSubmit(async () => {
      setBusy(true);
      try {
        await action(await credentialId());
      } catch (error) {
        showFieldErrors(form)(error);
      }
      setBusy(false);
    });
  const submit = run(async (id) => {
    const { url, name } = form.values;
    if (project) {
      await connect.mutateAsync({ url, credential: id });
      onClose();
      return;
    }
    const created = await create.mutateAsync({ url, credential: id, name });
    onClose();
    navigate(paths.project(created.id));
  });
  const tryOut = run(async (id) => {
    await test.mutateAsync({ url: form.values.url, credential: id });
  });
  return (
    <Form
      onSubmit={submit}
      error={create.error ?? connect.error ?? test.error ?? addCredential.error}
    >
      <TextInput
        label="Repository address"
        description="Such as https://github.com/owner/name.git or git@github.com:owner/name.git"
        maxLength={500}
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps("url")}
      />
      <NativeSelect
        label="Access"
        data={[
          { value: NONE, label: ssh ? "Choose a deploy key" : "Public repository" },
          ...usable.map(({ id, name }) => ({ value: id, label: name })),
          ...(ssh ? [] : [{ value: NEW_TOKEN, label: "New access token" }]),
        ]}
        {...form.getInputProps("credential")}
        value={chosen}
      />
      {chosen === NEW_TOKEN && (
        <PasswordField
          label="Access token"
          description={`${tokenScopes(host)} It is stored encrypted and sent only to ${host || "this host"}.`}
          autoComplete="off"
          {...form.getInputProps("token")}
        />
      )}
      {ssh && !chosen && (
        <div>
          <Button
            variant="default"
            disabled={!host}
            loading={addCredential.isPending}
            onClick={generateKey}
          >
            Generate a deploy key
          </Button>
        </div>
      )}
      {key && (
        <div>
          <Text fz="sm" mb={6}>
            Add this public key to the repository on {host} as a deploy key, with write access if
            builds are delivered there:
          </Text>
          <CommandLineBlock command={key} what="public key" />
        </div>
      )}
      {!project && (
        <TextInput
          label="Project name"
          description="Optional: the repository’s name is used otherwise"
          maxLength={120}
          {...form.getInputProps("name")}
        />
      )}
      <div>
        <Button variant="default" loading={busy && test.isPending} onClick={() => tryOut()}>
          Test connection
        </Button>
      </div>
      {test.data && (
        <Alert
          role="status"
          color={test.data.problem ? "red" : "teal"}
          title={test.data.problem ? "The test failed" : "The test succeeded"}
        >
          {test.data.message}
        </Alert>
      )}
      {!project && (
        <div>
          <Text fz="sm" mb={6}>
            A repository on your own machine is imported on the command line:
          </Text>
          <CommandLineBlock command={`forgeguard import DIRECTORY --server ${location.origin}`} />
        </div>
      )}
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={busy && !test.isPending}>
          Connect
        </Button>
      </DialogActions>
    </Form>
  );
}
