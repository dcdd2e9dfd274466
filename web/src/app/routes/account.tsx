import { SettingsPage } from "@/components/settings-page";
import { usePageTitle } from "@/domain/use-page-title";
import { useSession } from "@/features/accounts/api";
import { Appearance } from "@/features/accounts/settings/appearance";
import { ChangePassword } from "@/features/accounts/settings/change-password";
import { ConnectEditor } from "@/features/accounts/settings/connect-editor";
import { ForgeKeys } from "@/features/accounts/settings/forge-keys";
import { LinkedSignIns } from "@/features/accounts/settings/linked-sign-ins";
import { Sessions } from "@/features/accounts/settings/sessions";
import { EmailNotifications } from "@/features/email/email-notifications";
import { NotificationSettings } from "@/features/notifications/notification-settings";
import { CredentialsCard } from "@/features/remotes/credentials-card";

export default function AccountPage() {
  const user = useSession().data;
  usePageTitle("Account");
  return (
    <SettingsPage
      title="Account"
      about={
        <>
          {user?.name} · {user?.email}
          {user?.role === "admin" && " · admin"}
        </>
      }
    >
      <ForgeKeys />
      <ConnectEditor />
      <CredentialsCard owner="user" />
      <LinkedSignIns />
      <Sessions />
      <ChangePassword />
      <NotificationSettings />
      <EmailNotifications />
      <Appearance />
    </SettingsPage>
  );
}
