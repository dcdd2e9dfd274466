import { Code, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainListItem } from "@/components/plain-list";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { ForgeKey } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useRevokeForgeKey } from "./api";

export function ForgeKeyRow({ forgeKey }: { forgeKey: ForgeKey }) {
  const revoke = useRevokeForgeKey();
  const ended = forgeKey.expires_at !== null && new Date(forgeKey.expires_at) <= new Date();
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
        <Group gap="xs">
          <Text fw={550}>{forgeKey.name}</Text>
          <Code>{forgeKey.prefix}…</Code>
          {forgeKey.scopes && <ToneBadge tone="neutral">{scopesLabel(forgeKey.scopes)}</ToneBadge>}
          {forgeKey.build_id ? (
            <ToneBadge tone="neutral">One build</ToneBadge>
          ) : (
            forgeKey.project_id && <ToneBadge tone="neutral">One project</ToneBadge>
          )}
        </Group>
        <Text fz="xs" c="dimmed">
          Created <TimeAgo at={forgeKey.created_at} /> ·{" "}
          {forgeKey.last_used_at ? (
            <>
              last used <TimeAgo at={forgeKey.last_used_at} />
            </>
          ) : (
            "never used"
          )}
          {forgeKey.expires_at && !ended && (
            <>
              {" "}
              · ends <TimeAgo at={forgeKey.expires_at} />
            </>
          )}
          {forgeKey.last_call && forgeKey.last_call_at && (
            <>
              {" "}
              · last call {forgeKey.last_call} <TimeAgo at={forgeKey.last_call_at} />
            </>
          )}
        </Text>
      </Stack>
      {forgeKey.revoked_at || ended ? (
        <ToneBadge tone="neutral">{forgeKey.revoked_at ? "Revoked" : "Expired"}</ToneBadge>
      ) : (
        <ConfirmButton
          variant="default"
          size="xs"
          title={`Revoke “${forgeKey.name}”?`}
          body="Anything that uses this key stops working immediately. This cannot be undone."
          confirm="Revoke key"
          loading={revoke.isPending}
          onConfirm={() =>
            revoke.mutate(forgeKey.id, {
              onError: (error) => notifyFailed("Could not revoke the key", error),
            })
          }
        >
          Revoke<VisuallyHidden component="span"> {forgeKey.name}</VisuallyHidden>
        </ConfirmButton>
      )}
    </PlainListItem>
  );
}

function scopesLabel(scopes: string[]): string {
  const others = scopes.filter((scope) => scope !== "read");
  return others.length === 0 ? "Read-only" : `Read, ${others.join(", ")}`;
}
