import { Alert, Box, Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainListItem } from "@/components/plain-list";
import { ToneBadge } from "@/components/tone-badge";
import { messageOf } from "@/lib/api-error";
import { plural } from "@/lib/format";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { type SignInProvider, useRemoveSignInProvider, useTestSignInProvider } from "./api";
import { ProviderForm } from "./provider-form";
import { FIRST_SIGN_IN, KINDS } from "./provider-labels";

interface ProviderRowProps {
  provider: SignInProvider;
  redirectUrl: string;
}

export function ProviderRow({ provider, redirectUrl }: ProviderRowProps) {
  const { name, kind, enabled, issuer_url: issuer, linked_accounts: linked } = provider;
  const [edits, setEdits] = useState(false);
  const test = useTestSignInProvider(provider.id);
  const problem = test.error ? messageOf(test.error) : test.data?.problem;
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 14rem" }}>
        <Group gap="xs">
          <Text fw={550} style={{ overflowWrap: "anywhere" }}>
            {name}
          </Text>
          {!enabled && <ToneBadge tone="neutral">Disabled</ToneBadge>}
        </Group>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {KINDS[kind]} at {issuer} · {FIRST_SIGN_IN[provider.first_sign_in]} ·{" "}
          {plural(linked, "linked account")}
        </Text>
      </Stack>
      <Group gap="xs">
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          Test<VisuallyHidden component="span"> {name}</VisuallyHidden>
        </Button>
        <Button variant="default" size="xs" onClick={() => setEdits(true)}>
          Edit<VisuallyHidden component="span"> {name}</VisuallyHidden>
        </Button>
        <Remove provider={provider} />
      </Group>
      <Box flex="1 1 100%" miw={0} role="status">
        {test.isSuccess && !problem && (
          <Alert color="teal" p="xs">
            The provider can be reached and accepts the settings. Sign in once to check them
            completely.
          </Alert>
        )}
        {problem && (
          <Alert color="red" p="xs" title="Users cannot sign in with these settings">
            {problem}.
          </Alert>
        )}
      </Box>
      {edits && (
        <ProviderForm
          provider={provider}
          redirectUrl={redirectUrl}
          onClose={() => setEdits(false)}
        />
      )}
    </PlainListItem>
  );
}

function Remove({ provider: { id, name, linked_accounts: linked } }: { provider: SignInProvider }) {
  const remove = useRemoveSignInProvider(id);
  return (
    <ConfirmButton
      variant="default"
      size="xs"
      title={`Remove “${name}”?`}
      body={
        linked > 0
          ? `${plural(linked, "account")} can no longer sign in with it. The accounts stay: those without a password need a link to set one, which you can create on the page Users.`
          : "No account is linked to it."
      }
      confirm="Remove provider"
      loading={remove.isPending}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => notifyDone(`“${name}” was removed.`),
          onError: (error) => notifyFailed("Could not remove the provider", error),
        })
      }
    >
      Remove<VisuallyHidden component="span"> {name}</VisuallyHidden>
    </ConfirmButton>
  );
}
