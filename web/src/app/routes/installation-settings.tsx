import { SettingsPage } from "@/components/settings-page";
import { usePageTitle } from "@/domain/use-page-title";
import { EmailServerCard } from "@/features/email/email-server-card";
import { InstallationSettings } from "@/features/installation/installation-settings";
import { CredentialsCard } from "@/features/remotes/credentials-card";
import { SignInProvidersCard } from "@/features/sign-in-providers/sign-in-providers-card";
import { WebhooksCard } from "@/features/webhooks/webhooks-card";

export default function InstallationSettingsPage() {
  usePageTitle("Installation settings");
  return (
    <SettingsPage
      title="Installation settings"
      about="Model providers, limits, models, credentials, sign-in providers, email and webhooks for all projects."
    >
      <InstallationSettings />
      <CredentialsCard owner="installation" />
      <SignInProvidersCard />
      <EmailServerCard />
      <WebhooksCard scope={null} />
    </SettingsPage>
  );
}
