import { Alert, Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainListItem } from "@/components/plain-list";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { NOTIFICATION_KINDS } from "@/domain/notification-kinds";
import { notifyFailed } from "@/lib/notify";
import { useRemoveWebhook, useUpdateWebhook, type Webhook, type WebhookScope } from "./api";
import { Deliveries } from "./deliveries";

interface WebhookRowProps {
  scope: WebhookScope;
  webhook: Webhook;
}

export function WebhookRow({ scope, webhook }: WebhookRowProps) {
  const { id, url, kinds, failing_since, disabled_at } = webhook;
  const [opened, { open, close }] = useDisclosure(false);
  const remove = useRemoveWebhook(scope, id);
  const update = useUpdateWebhook(scope, id);
  const of = <VisuallyHidden component="span"> of {url}</VisuallyHidden>;
  return (
    <PlainListItem>
      <Stack gap={4} style={{ minWidth: 0, flex: "1 1 14rem" }}>
        <Group gap="xs" wrap="nowrap">
          <Text fw={550} truncate>
            {url}
          </Text>
          {!disabled_at && failing_since && <ToneBadge tone="bad">Failing</ToneBadge>}
        </Group>
        <Text fz="xs" c="dimmed">
          {kinds.map((kind) => NOTIFICATION_KINDS[kind]).join(", ")} · added{" "}
          <TimeAgo at={webhook.created_at} />
        </Text>
        {disabled_at && (
          <Alert color="red" p="xs">
            <Group gap="xs" justify="space-between">
              <Text fz="sm">
                Disabled <TimeAgo at={disabled_at} /> because deliveries kept failing.
              </Text>
              <Button
                size="xs"
                variant="default"
                loading={update.isPending}
                onClick={() =>
                  update.mutate(
                    { kinds },
                    { onError: (error) => notifyFailed("Could not enable the webhook", error) },
                  )
                }
              >
                Enable webhook
              </Button>
            </Group>
          </Alert>
        )}
      </Stack>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={open}>
          Show deliveries{of}
        </Button>
        <ConfirmButton
          variant="default"
          size="xs"
          title="Remove this webhook?"
          body="It is no longer called, and its deliveries are no longer listed."
          confirm="Remove webhook"
          loading={remove.isPending}
          onConfirm={() =>
            remove.mutate(undefined, {
              onError: (error) => notifyFailed("Could not remove the webhook", error),
            })
          }
        >
          Remove{of}
        </ConfirmButton>
      </Group>
      {opened && <Deliveries scope={scope} webhook={webhook} onClose={close} />}
    </PlainListItem>
  );
}
