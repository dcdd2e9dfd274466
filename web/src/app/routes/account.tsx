import { SettingsPage } from "@/components/settings-page";
import { usePageTitle } from "@/domain/use-page-title";
import { useSession } from "@/features/accounts/api";
import { Appearance } from "@/features/accounts/settings/appearance";
import { ChangePassword } from "@/features/accounts/settings/change-password";
import { ForgeKeys } from "@/features/accounts/settings/forge-keys";
import { Sessions } from "@/features/accounts/settings/sessions";
import { NotificationSettings } from "@/features/notifications/notification-settings";

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
      <Sessions />
      <ChangePassword />
      <NotificationSettings />
      <Appearance />
    </SettingsPage>
  );
}
