import { Alert, Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useSearchParams } from "react-router";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { Schemas } from "@/lib/api";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useIdentities, useLinkIdentity, useUnlinkIdentity } from "../providers-api";
import { signInProblem } from "../sign-in-problems";

/** The providers with which the user can sign in; nothing if there are none. */
export function LinkedSignIns() {
  const query = useIdentities();
  if (query.data?.items.length === 0 && query.data.providers.length === 0) return null;
  return (
    <SectionCard
      title="Linked sign-ins"
      description="Providers with which you can sign in to this account."
    >
      <QueryView query={query} what="linked sign-ins">
        {(identities) => <Content identities={identities} />}
      </QueryView>
    </SectionCard>
  );
}

function Content({ identities }: { identities: Schemas["Identities"] }) {
  const { items, providers, has_password: hasPassword } = identities;
  const link = useLinkIdentity();
  return (
    <Stack gap="sm">
      <Result providers={providers} />
      {!hasPassword && (
        <Text fz="sm" c="dimmed">
          Your account has no password. To set one, ask an administrator for a link.
        </Text>
      )}
      <Group gap="xs">
        {providers.map(({ id, name }) => (
          <Button
            key={id}
            variant="default"
            size="xs"
            loading={(link.isPending || link.isSuccess) && link.variables === id}
            onClick={() =>
              link.mutate(id, { onError: (error) => notifyFailed("Could not link", error) })
            }
          >
            Link {name}
          </Button>
        ))}
      </Group>
      {items.length === 0 ? (
        <Text fz="sm" c="dimmed">
          No linked sign-ins
        </Text>
      ) : (
        <PlainList>
          {items.map((item) => (
            <Identity key={item.id} identity={item} />
          ))}
        </PlainList>
      )}
    </Stack>
  );
}

/** What came of linking, according to the address. */
function Result({ providers }: { providers: Schemas["SignInOption"][] }) {
  const [query] = useSearchParams();
  const nameOf = (id: string | null) => providers.find((provider) => provider.id === id)?.name;
  const problem = signInProblem(query.get("problem"), nameOf(query.get("provider")));
  if (problem) {
    return (
      <Alert color="red" p="sm" role="alert" title={problem.title}>
        {problem.text}
      </Alert>
    );
  }
  const linked = nameOf(query.get("linked"));
  if (!linked) return null;
  return (
    <Alert color="teal" p="sm" role="status">
      You can now sign in with {linked}.
    </Alert>
  );
}

function Identity({ identity }: { identity: Schemas["LinkedIdentity"] }) {
  const { id, provider_name: name, email, disabled } = identity;
  const unlink = useUnlinkIdentity();
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
        <Group gap="xs">
          <Text fw={550} style={{ overflowWrap: "anywhere" }}>
            {name}
          </Text>
          {disabled && <ToneBadge tone="neutral">Disabled</ToneBadge>}
        </Group>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {email && `${email} · `}linked <TimeAgo at={identity.created_at} /> ·{" "}
          {identity.last_used_at ? (
            <>
              last used <TimeAgo at={identity.last_used_at} />
            </>
          ) : (
            "never used"
          )}
        </Text>
      </Stack>
      <ConfirmButton
        variant="default"
        size="xs"
        title={`Unlink ${name}?`}
        body="You can no longer sign in with it. Your sessions and forge keys stay."
        confirm="Unlink sign-in"
        loading={unlink.isPending}
        onConfirm={() =>
          unlink.mutate(id, {
            onSuccess: () => notifyDone(`${name} was unlinked.`),
            onError: (error) => notifyFailed("Could not unlink", error),
          })
        }
      >
        Unlink<VisuallyHidden component="span"> {name}</VisuallyHidden>
      </ConfirmButton>
    </PlainListItem>
  );
}
