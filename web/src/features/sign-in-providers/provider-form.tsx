import { Button, Checkbox, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { CommandLineBlock } from "@/components/command-line-block";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { FormModal } from "@/components/form-modal";
import { PasswordField } from "@/components/password-field";
import { notifyDone } from "@/lib/notify";
import { showFieldErrors } from "@/lib/show-field-errors";
import { type SignInProvider, useSaveSignInProvider } from "./api";
import { KINDS } from "./provider-labels";

interface ProviderFormProps {
  /** Null for a new one. */
  provider: SignInProvider | null;
  redirectUrl: string;
  onClose: () => void;
}

const GITHUB = "https://github.com";

const valuesOf = (provider: SignInProvider | null) => ({
  name: provider?.name ?? "",
  kind: provider?.kind ?? ("oidc" as const),
  issuer_url: provider?.issuer_url ?? "",
  client_id: provider?.client_id ?? "",
  client_secret: "",
  enabled: provider?.enabled ?? true,
  first_sign_in: provider?.first_sign_in ?? ("invited" as const),
  allowed_domains: provider?.allowed_domains.join(", ") ?? "",
  role_claim: provider?.role_claim ?? "",
  admin_value: provider?.admin_value ?? "",
});

/** Adds or changes a provider. */
export function ProviderForm({ provider, redirectUrl, onClose }: ProviderFormProps) {
  const save = useSaveSignInProvider(provider?.id ?? null);
  const required = (what: string) => (value: string) => (value.trim() ? null : `Enter ${what}`);
  const form = useForm({
    initialValues: valuesOf(provider),
    validate: {
      name: required("a name"),
      issuer_url: required("a URL"),
      client_id: required("the client ID"),
      client_secret: (value) => (provider || value.trim() ? null : "Enter the client secret"),
    },
  });
  const { kind, first_sign_in: policy } = form.values;
  const isGitHub = kind === "github";
  const submit = form.onSubmit(
    ({ client_secret, allowed_domains, role_claim, admin_value, ...values }) =>
      save.mutate(
        {
          ...values,
          client_secret: client_secret || null,
          allowed_domains: allowed_domains.split(/[\s,]+/).filter(Boolean),
          role_claim: isGitHub ? null : role_claim || null,
          admin_value: isGitHub ? null : admin_value || null,
        },
        {
          onSuccess: () => {
            notifyDone("Sign-in provider saved.");
            onClose();
          },
          onError: showFieldErrors(form),
        },
      ),
  );
  function setKind(next: string) {
    form.setFieldValue("kind", next as SignInProvider["kind"]);
    if (next === "github" && !form.values.issuer_url) form.setFieldValue("issuer_url", GITHUB);
    if (next === "oidc" && form.values.issuer_url === GITHUB) form.setFieldValue("issuer_url", "");
  }
  return (
    <FormModal
      opened
      onClose={onClose}
      title={provider ? `Edit ${provider.name}` : "Add sign-in provider"}
      centered
    >
      <Form onSubmit={submit} error={save.error}>
        <NativeSelect
          label="Kind"
          data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          description="Shown on the button “Sign in with …”"
          maxLength={60}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label={isGitHub ? "Address of the server" : "Issuer URL"}
          description={
            isGitHub
              ? "https://github.com, or the address of GitHub Enterprise Server"
              : "The address below which the provider publishes /.well-known/openid-configuration"
          }
          placeholder={isGitHub ? GITHUB : "https://id.example.org/realms/company"}
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps("issuer_url")}
        />
        <Stack gap={4}>
          <Text fz="sm">Register this redirect URL with the provider:</Text>
          <CommandLineBlock command={redirectUrl} what="redirect URL" />
        </Stack>
        <TextInput
          label="Client ID"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("client_id")}
        />
        <PasswordField
          label="Client secret"
          description={
            provider
              ? "Leave it empty to keep the stored one. Another issuer URL requires it again."
              : "Stored encrypted and never shown again"
          }
          autoComplete="off"
          visibilityToggleButtonProps={{ "aria-label": "Show secret" }}
          {...form.getInputProps("client_secret")}
        />
        <NativeSelect
          label="First sign-in"
          description="Who gets an account. Existing users link the provider in their account settings."
          data={[
            { value: "invited", label: "Only invited users" },
            { value: "domains", label: "Users of allowed email domains" },
            { value: "anyone", label: "Anyone who can sign in there" },
          ]}
          {...form.getInputProps("first_sign_in")}
        />
        {policy === "domains" && (
          <TextInput
            label="Allowed domains"
            description="Separated by commas. The provider must have verified the address."
            placeholder="example.org, example.com"
            autoCapitalize="none"
            {...form.getInputProps("allowed_domains")}
          />
        )}
        {!isGitHub && (
          <>
            <TextInput
              label="Role claim"
              description="Optional. If set, each sign-in makes users administrators or users; the last administrator keeps the role."
              placeholder="realm_access.roles"
              autoCapitalize="none"
              spellCheck={false}
              {...form.getInputProps("role_claim")}
            />
            <TextInput
              label="Value for administrators"
              placeholder="forgeguard-admin"
              autoCapitalize="none"
              spellCheck={false}
              {...form.getInputProps("admin_value")}
            />
          </>
        )}
        <Checkbox
          label="Show it on the sign-in page"
          {...form.getInputProps("enabled", { type: "checkbox" })}
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={save.isPending}>
            {provider ? "Save provider" : "Add provider"}
          </Button>
        </DialogActions>
      </Form>
    </FormModal>
  );
}
