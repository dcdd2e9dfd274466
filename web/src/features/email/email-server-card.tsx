import { Alert, Button, Group, NumberInput, Select, SimpleGrid, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ConfirmButton } from "@/components/confirm-button";
import { Form } from "@/components/form";
import { PasswordField } from "@/components/password-field";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { messageOf } from "@/lib/api-error";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { showFieldErrors } from "@/lib/show-field-errors";
import {
  type EmailSettings,
  type EmailUpdate,
  useEmailSettings,
  useRemoveEmailSettings,
  useSaveEmailSettings,
  useSendTestEmail,
} from "./api";

const TLS: { value: EmailUpdate["tls"]; label: string }[] = [
  { value: "starttls", label: "STARTTLS" },
  { value: "tls", label: "TLS" },
  { value: "none", label: "None" },
];

/** The server that sends email, for administrators. */
export function EmailServerCard() {
  const query = useEmailSettings();
  return (
    <SectionCard
      title="Email"
      description="The SMTP server that sends notifications to users who choose to receive them by email. The password is stored encrypted and never shown."
    >
      <QueryView query={query} what="email settings">
        {(settings) => <ServerForm settings={settings} />}
      </QueryView>
    </SectionCard>
  );
}

const valuesOf = ({ server }: EmailSettings) => ({
  host: server?.host ?? "",
  port: server?.port ?? 587,
  tls: server?.tls ?? ("starttls" as const),
  user: server?.user ?? "",
  password: "",
  from: server?.from ?? "",
});

function ServerForm({ settings }: { settings: EmailSettings }) {
  const save = useSaveEmailSettings();
  const form = useForm({ initialValues: valuesOf(settings) });
  const submit = form.onSubmit(({ user, password, ...values }) => {
    const body = { ...values, ...(user && { user }), ...(password && { password }) };
    save.mutate(body, {
      onSuccess: (saved) => {
        form.setInitialValues(valuesOf(saved));
        form.setValues(valuesOf(saved));
        notifyDone("Email server saved.");
      },
      onError: showFieldErrors(form),
    });
  });
  return (
    <Form onSubmit={submit} error={save.error}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput label="Host" placeholder="smtp.example.org" {...form.getInputProps("host")} />
        <NumberInput
          label="Port"
          min={1}
          max={65_535}
          allowDecimal={false}
          hideControls
          {...form.getInputProps("port")}
        />
        <Select
          label="Encryption"
          data={TLS}
          allowDeselect={false}
          {...form.getInputProps("tls")}
        />
        <TextInput
          label="From"
          placeholder="ForgeGuard <forge@example.org>"
          {...form.getInputProps("from")}
        />
        <TextInput label="User" autoComplete="off" {...form.getInputProps("user")} />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          placeholder={settings.has_password ? "Unchanged" : ""}
          {...form.getInputProps("password")}
        />
      </SimpleGrid>
      <Group justify="space-between">
        {settings.server ? <ServerActions /> : <span />}
        <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
          Save email server
        </Button>
      </Group>
    </Form>
  );
}

function ServerActions() {
  const test = useSendTestEmail();
  const remove = useRemoveEmailSettings();
  return (
    <div>
      <Group gap="xs">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send a test email
        </Button>
        <ConfirmButton
          variant="default"
          title="Remove the email server?"
          body="Nothing is sent by email until another server is set."
          confirm="Remove email server"
          loading={remove.isPending}
          onConfirm={() =>
            remove.mutate(undefined, {
              onError: (error) => notifyFailed("Could not remove the server", error),
            })
          }
        >
          Remove
        </ConfirmButton>
      </Group>
      <div role="status">
        {test.data?.failure === null && (
          <Alert color="teal" p="xs" mt="xs">
            The server accepted a message to {test.data.to}.
          </Alert>
        )}
        {(test.data?.failure || test.isError) && (
          <Alert color="red" p="xs" mt="xs">
            The message could not be sent: {test.data?.failure ?? messageOf(test.error)}
          </Alert>
        )}
      </div>
    </div>
  );
}
