import { Alert, Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { ConfirmButton } from "@/components/confirm-button";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import type { Schemas } from "@/lib/api";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { showFieldErrors } from "@/lib/show-field-errors";
import {
  useProviderKeys,
  useRemoveProviderKey,
  useSetProviderKey,
  useTestProviderKey,
} from "./provider-keys-api";

type ProviderKey = Schemas["ProviderKey"];

const NAMES: Record<ProviderKey["provider"], string> = { anthropic: "Anthropic", openai: "OpenAI" };
const ENDPOINTS: Record<ProviderKey["provider"], string> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
};

/** Keys and addresses of model providers. */
export function ProviderKeys() {
  const query = useProviderKeys();
  return (
    <SectionCard
      title="Model providers"
      description="Keys are stored encrypted and are never shown again. Agents use a new key from their next run on. Keys in the environment take precedence."
    >
      <QueryView query={query} what="provider keys">
        {({ items }) => (
          <Stack gap="xl">
            {items.map((item) => (
              <Provider key={item.provider} item={item} />
            ))}
          </Stack>
        )}
      </QueryView>
    </SectionCard>
  );
}

function Provider({ item }: { item: ProviderKey }) {
  const name = NAMES[item.provider];
  const test = useTestProviderKey(item.provider);
  const [model, setModel] = useState("");
  const run = () =>
    test.mutate(model, { onError: (error) => notifyFailed("Could not test", error) });
  const isConfigured = item.set_at !== null || item.fixed_by !== null;
  return (
    <Stack component="section" gap="sm" aria-label={name}>
      <div>
        <Title order={3}>{name}</Title>
        <Text fz="sm" c="dimmed">
          <Standing item={item} />
        </Text>
      </div>
      {item.problem && (
        <Alert color="red" p="sm" title="This key cannot be used">
          {item.problem}
        </Alert>
      )}
      {!item.fixed_by && <KeyForm item={item} onSaved={run} />}
      {isConfigured && (
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Model for the test"
            placeholder={item.default_model}
            flex="1 1 14rem"
            value={model}
            onChange={(event) => setModel(event.currentTarget.value)}
          />
          <Button variant="default" loading={test.isPending} onClick={run}>
            Test connection
          </Button>
          {item.set_at && <Remove provider={item.provider} />}
        </Group>
      )}
      {test.data && (
        <Alert
          role="status"
          p="sm"
          color={test.data.problem ? "red" : "teal"}
          title={test.data.problem ? "The connection does not work" : "The connection works"}
        >
          {test.data.message}
        </Alert>
      )}
    </Stack>
  );
}

function Standing({ item }: { item: ProviderKey }) {
  const { fixed_by, is_set, last_four, base_url, set_by, set_at } = item;
  if (fixed_by) return `Set by ${fixed_by}, which takes precedence over this page.`;
  if (!set_at) return "Not set";
  const key = !is_set ? "No key" : last_four ? `Key ending in ${last_four}` : "Key";
  return (
    <>
      {key}
      {base_url && ` for ${base_url}`}, set by {set_by} <TimeAgo at={set_at} />
    </>
  );
}

function KeyForm({ item, onSaved }: { item: ProviderKey; onSaved: () => void }) {
  const { provider } = item;
  const save = useSetProviderKey(provider);
  const form = useForm({ initialValues: { key: "", base_url: item.base_url ?? "" } });
  const submit = form.onSubmit((values) =>
    save
      .mutateAsync(values)
      .then(() => {
        form.setFieldValue("key", "");
        onSaved();
      })
      .catch(showFieldErrors(form)),
  );
  return (
    <Form onSubmit={submit} error={save.error}>
      <PasswordField
        label={item.is_set ? "New key" : "Key"}
        autoComplete="off"
        visibilityToggleButtonProps={{ "aria-label": "Show key" }}
        {...form.getInputProps("key")}
      />
      <TextInput
        label="Base URL"
        description={`For a compatible endpoint. A key is sent only to the address that it was saved with. Default: ${ENDPOINTS[provider]}`}
        placeholder={ENDPOINTS[provider]}
        {...form.getInputProps("base_url")}
      />
      <Group justify="flex-end">
        <Button
          type="submit"
          loading={save.isPending}
          disabled={!form.values.key && !form.values.base_url}
        >
          Save and test
        </Button>
      </Group>
    </Form>
  );
}

function Remove({ provider }: { provider: ProviderKey["provider"] }) {
  const remove = useRemoveProviderKey(provider);
  return (
    <ConfirmButton
      variant="subtle"
      color="red"
      title={`Remove the key for ${NAMES[provider]}?`}
      body="Builds that need this provider are blocked until a key is set again."
      confirm="Remove key"
      loading={remove.isPending}
      onConfirm={() =>
        void remove
          .mutateAsync()
          .then(() => notifyDone("Key removed."))
          .catch((error) => notifyFailed("Could not remove the key", error))
      }
    >
      Remove key
    </ConfirmButton>
  );
}
