import { Box, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { CommandLineBlock } from "@/components/command-line-block";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainListItem } from "@/components/plain-list";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { type Credential, useRemote, useRemoveCredential } from "./api";

const KINDS: Record<Credential["kind"], string> = {
  token: "Access token",
  ssh_key: "Deploy key",
};

export function CredentialRow({ credential }: { credential: Credential }) {
  const { project, name, host, kind, public_key: publicKey } = credential;
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 14rem" }}>
        <Group gap="xs">
          <Text fw={550} style={{ overflowWrap: "anywhere" }}>
            {name}
          </Text>
          {project && <InUse project={project} credential={credential} />}
        </Group>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {KINDS[kind]} for {host} · added <TimeAgo at={credential.created_at} /> ·{" "}
          {credential.last_used_at ? (
            <>
              last used <TimeAgo at={credential.last_used_at} />
            </>
          ) : (
            "never used"
          )}
        </Text>
      </Stack>
      {credential.removable && <Delete credential={credential} />}
      {publicKey && (
        <Box flex="1 1 100%" miw={0}>
          <CommandLineBlock command={publicKey} what={`public key of ${name}`} />
        </Box>
      )}
    </PlainListItem>
  );
}

/** Where other credentials are used is not known here. */
function InUse({ project, credential }: { project: string; credential: Credential }) {
  const isUsed = useRemote(project).data?.credential === credential.id;
  return isUsed ? <ToneBadge tone="good">In use</ToneBadge> : null;
}

function Delete({ credential: { id, name, host, kind } }: { credential: Credential }) {
  const remove = useRemoveCredential();
  return (
    <ConfirmButton
      variant="default"
      size="xs"
      title={`Delete “${name}”?`}
      body={
        <>
          Projects that use it are no longer fetched from {host}, and their builds are no longer
          delivered there, until another credential is chosen in their settings. Public repositories
          can still be fetched.
          <Text fz="sm" mt="sm">
            {kind === "token"
              ? `The token itself stays valid: revoke it on ${host} too.`
              : `A new key has to be added to the repository again. Remove this one on ${host} too.`}
          </Text>
        </>
      }
      confirm="Delete credential"
      loading={remove.isPending}
      onConfirm={() =>
        remove.mutate(id, {
          onSuccess: () => notifyDone(`“${name}” was deleted.`),
          onError: (error) => notifyFailed("Could not delete the credential", error),
        })
      }
    >
      Delete<VisuallyHidden component="span"> {name}</VisuallyHidden>
    </ConfirmButton>
  );
}
