import { Button, Group, Modal, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { plural } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import type { Tone } from "@/lib/tone";
import {
  useDeliveries,
  useSendAgain,
  type Webhook,
  type WebhookDelivery,
  type WebhookScope,
} from "./api";

const STATUS: Record<WebhookDelivery["status"], { label: string; tone: Tone }> = {
  waiting: { label: "Waiting", tone: "waiting" },
  delivered: { label: "Delivered", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
};

interface DeliveriesProps {
  scope: WebhookScope;
  webhook: Webhook;
  onClose: () => void;
}

/** What was sent to a webhook, newest first. */
export function Deliveries({ scope, webhook, onClose }: DeliveriesProps) {
  const query = useDeliveries(scope, webhook.id);
  return (
    <Modal opened onClose={onClose} title="Deliveries of the last 30 days" size="lg" centered>
      <QueryView query={query} what="deliveries">
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) {
            return (
              <EmptyState icon={<IconSend size={22} />} title="Nothing was sent yet" order={3}>
                Deliveries appear here with their result.
              </EmptyState>
            );
          }
          return (
            <>
              <PlainList>
                {items.map((delivery) => (
                  <DeliveryRow
                    key={delivery.id}
                    scope={scope}
                    webhook={webhook}
                    delivery={delivery}
                  />
                ))}
              </PlainList>
              <ShowMore query={query} />
            </>
          );
        }}
      </QueryView>
    </Modal>
  );
}

interface DeliveryRowProps extends Omit<DeliveriesProps, "onClose"> {
  delivery: WebhookDelivery;
}

function DeliveryRow({ scope, webhook, delivery }: DeliveryRowProps) {
  const again = useSendAgain(scope, webhook.id);
  const { title, status, attempts, failure, created_at } = delivery;
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 14rem" }}>
        <Text fz="sm" fw={550}>
          {title}
        </Text>
        <Text fz="xs" c="dimmed">
          <TimeAgo at={created_at} /> · {plural(attempts, "attempt")}
          {failure && ` · ${failure}`}
        </Text>
      </Stack>
      <Group gap="xs">
        <ToneBadge tone={STATUS[status].tone}>{STATUS[status].label}</ToneBadge>
        {status !== "delivered" && failure && !webhook.disabled_at && (
          <Button
            size="xs"
            variant="default"
            loading={again.isPending}
            onClick={() =>
              again.mutate(delivery.id, {
                onError: (error) => notifyFailed("Could not send it again", error),
              })
            }
          >
            Send again<VisuallyHidden component="span">: {title}</VisuallyHidden>
          </Button>
        )}
      </Group>
    </PlainListItem>
  );
}
