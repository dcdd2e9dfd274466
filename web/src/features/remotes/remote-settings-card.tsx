import { Alert, Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { CommandLineBlock } from "@/components/command-line-block";
import { ConfirmButton } from "@/components/confirm-button";
import { FormModal } from "@/components/form-modal";
import { SectionCard } from "@/components/section-card";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { hostOf, isSsh } from "./address";
import {
  type Remote,
  useCreateHookSecret,
  useCredentials,
  useDisconnectRemote,
  useRemote,
  useUpdateRemote,
} from "./api";
import { ConnectRepository } from "./connect-repository";

/** Credential, webhook and disconnection of the connected repository; connects one if there is none. */
export function RemoteSettingsCard({ projectId }: { projectId: string }) {
  const remote = useRemote(projectId).data;
  if (remote === undefined) return null;
  if (remote === null) return <NotConnected projectId={projectId} />;
  return (
    <SectionCard
      title="Connected repository"
      description={<span style={{ overflowWrap: "anywhere" }}>{remote.url}</span>}
    >
      <Stack gap="md">
        <ServerKind projectId={projectId} remote={remote} />
        <CredentialChoice projectId={projectId} remote={remote} />
        <HookSecret projectId={projectId} remote={remote} />
        <Disconnect projectId={projectId} />
      </Stack>
    </SectionCard>
  );
}

function NotConnected({ projectId }: { projectId: string }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <SectionCard
      title="Connected repository"
      description="Follow a repository on GitHub, GitLab, Gitea or another server: builds start from its latest commit, and their branches are delivered there."
      action={
        <Button variant="default" onClick={open}>
          Connect repository
        </Button>
      }
    >
      <Text fz="sm" c="dimmed">
        A project without pushes and builds takes over the history of the repository. Commits of any
        other project have to be in the repository already.
      </Text>
      <FormModal opened={opened} onClose={close} title="Connect repository">
        <ConnectRepository project={projectId} onClose={close} />
      </FormModal>
    </SectionCard>
  );
}

interface PartProps {
  projectId: string;
  remote: Remote;
}

const KINDS: { value: Remote["forge"]; label: string }[] = [
  { value: "github", label: "GitHub" },
  { value: "gitea", label: "Gitea or Forgejo" },
  { value: "gitlab", label: "GitLab" },
  { value: "other", label: "Another one" },
];

function ServerKind({ projectId, remote }: PartProps) {
  const update = useUpdateRemote(projectId);
  return (
    <NativeSelect
      label="Kind of server"
      description="Decides how pull requests are opened. At another kind of server, builds are only pushed."
      data={KINDS}
      value={remote.forge}
      disabled={update.isPending}
      onChange={({ currentTarget }) => {
        const kind = KINDS.find(({ value }) => value === currentTarget.value);
        if (!kind) return;
        update.mutate(
          { forge: kind.value, credential: remote.credential },
          {
            onSuccess: () => notifyDone("The kind of server was changed."),
            onError: (error) => notifyFailed("Could not change the kind of server", error),
          },
        );
      }}
    />
  );
}

function CredentialChoice({ projectId, remote }: PartProps) {
  const credentials = useCredentials();
  const update = useUpdateRemote(projectId);
  const ssh = isSsh(remote.url);
  const usable = (credentials.data ?? []).filter(
    ({ host, kind, scope, project }) =>
      host === hostOf(remote.url) &&
      (kind === "ssh_key") === ssh &&
      (scope !== "project" || project === projectId),
  );
  return (
    <NativeSelect
      label="Credential"
      description="Credentials for this host: your own from your account, this project’s, and the installation’s"
      data={[
        { value: "", label: "None" },
        ...usable.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={remote.credential ?? ""}
      disabled={update.isPending}
      onChange={({ currentTarget }) =>
        update.mutate(
          { forge: remote.forge, credential: currentTarget.value || null },
          {
            onSuccess: () => notifyDone("The credential was changed."),
            onError: (error) => notifyFailed("Could not change the credential", error),
          },
        )
      }
    />
  );
}

function HookSecret({ projectId, remote }: PartProps) {
  const create = useCreateHookSecret(projectId);
  return (
    <div>
      <Text fw={550}>Webhook of the server</Text>
      <Text fz="sm" c="dimmed" mb="xs">
        {remote.accepts_hooks
          ? "Pushes that the server reports are fetched at once. A new secret replaces the current one."
          : "With a webhook for push events, the server reports pushes, which are fetched at once."}
      </Text>
      {create.data ? (
        <Alert color="blue" title="Add this webhook on the server">
          <Text fz="sm" mb={6}>
            Address, with content type application/json:
          </Text>
          <CommandLineBlock command={location.origin + create.data.path} what="address" />
          <Text fz="sm" mt="sm" mb={6}>
            Secret, which is shown only now:
          </Text>
          <CommandLineBlock command={create.data.secret} what="secret" />
        </Alert>
      ) : (
        <Button
          variant="default"
          loading={create.isPending}
          onClick={() =>
            create.mutate(undefined, {
              onError: (error) => notifyFailed("Could not create a secret", error),
            })
          }
        >
          {remote.accepts_hooks ? "Replace the secret" : "Create a webhook secret"}
        </Button>
      )}
    </div>
  );
}

function Disconnect({ projectId }: { projectId: string }) {
  const disconnect = useDisconnectRemote(projectId);
  return (
    <Group justify="flex-end">
      <ConfirmButton
        variant="default"
        loading={disconnect.isPending}
        title="Disconnect the repository?"
        body="Branches and builds are kept here. Nothing is changed at the remote, and it is no longer fetched."
        confirm="Disconnect"
        onConfirm={() =>
          disconnect.mutate(undefined, {
            onSuccess: () => notifyDone("The repository was disconnected."),
            onError: (error) => notifyFailed("Could not disconnect", error),
          })
        }
      >
        Disconnect
      </ConfirmButton>
    </Group>
  );
}
