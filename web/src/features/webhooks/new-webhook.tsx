import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { CommandLineBlock } from "@/components/command-line-block";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { FormModal } from "@/components/form-modal";
import { NotificationKindsField } from "@/components/notification-kinds-field";
import { NOTIFICATION_KINDS } from "@/domain/notification-kinds";
import { keysOf } from "@/lib/keys-of";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useAddWebhook, type WebhookScope } from "./api";

interface NewWebhookProps {
  scope: WebhookScope;
  onClose: () => void;
}

/** Asks for a URL, then shows the secret, which cannot be displayed again. */
export function NewWebhook({ scope, onClose }: NewWebhookProps) {
  const add = useAddWebhook(scope);
  const form = useForm({ initialValues: { url: "", kinds: keysOf(NOTIFICATION_KINDS) } });
  const submit = form.onSubmit((values) => add.mutate(values, { onError: showFieldErrors(form) }));
  return (
    <FormModal
      opened
      onClose={onClose}
      title={add.data ? "Secret of the webhook" : "Add webhook"}
      centered
      closeOnClickOutside={!add.data}
    >
      {add.data ? (
        <Stack>
          <Alert color="yellow" p="sm" role="status">
            Copy this secret now. It will not be shown again.
          </Alert>
          <CommandLineBlock command={add.data.secret} what="secret" />
          <Text fz="sm" c="dimmed">
            The receiver verifies requests with it, as defined by the Standard Webhooks
            specification.
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Form onSubmit={submit} error={add.error}>
          <TextInput
            label="URL"
            type="url"
            placeholder="https://hooks.example.org/…"
            data-autofocus
            {...form.getInputProps("url")}
          />
          <NotificationKindsField
            label="Notify about"
            value={form.values.kinds}
            error={form.errors.kinds}
            onChange={(kinds) => form.setFieldValue("kinds", kinds)}
          />
          <DialogActions onCancel={onClose}>
            <Button type="submit" disabled={!form.values.url.trim()} loading={add.isPending}>
              Add webhook
            </Button>
          </DialogActions>
        </Form>
      )}
    </FormModal>
  );
}
