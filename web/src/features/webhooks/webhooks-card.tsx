import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconWebhook } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { PlainList } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { useWebhooks, type WebhookScope } from "./api";
import { NewWebhook } from "./new-webhook";
import { WebhookRow } from "./webhook-row";

/** The webhooks of a project, or of the installation. */
export function WebhooksCard({ scope }: { scope: WebhookScope }) {
  const query = useWebhooks(scope);
  const [opened, { open, close }] = useDisclosure(false);
  const of = scope === null ? "all projects" : "this project";
  return (
    <SectionCard
      title="Webhooks"
      description={`URLs that are called about builds of ${of}. Requests are signed, and their text is shown by Slack and compatible services.`}
      action={
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          Add webhook
        </Button>
      }
    >
      {opened && <NewWebhook scope={scope} onClose={close} />}
      <QueryView query={query} what="webhooks">
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={<IconWebhook size={22} />} title="No webhooks" order={3}>
              Add one to be told in a chat or by another system.
            </EmptyState>
          ) : (
            <PlainList>
              {items.map((webhook) => (
                <WebhookRow key={webhook.id} scope={scope} webhook={webhook} />
              ))}
            </PlainList>
          )
        }
      </QueryView>
    </SectionCard>
  );
}
