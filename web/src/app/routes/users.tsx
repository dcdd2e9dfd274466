import { SettingsPage } from "@/components/settings-page";
import { usePageTitle } from "@/domain/use-page-title";
import { useSession } from "@/features/accounts/api";
import { UserList } from "@/features/accounts/users/user-list";

export default function UsersPage() {
  const user = useSession().data;
  usePageTitle("Users");
  return (
    <SettingsPage title="People" about="Manage who can sign in, and their roles.">
      <UserList ownId={user?.id ?? ""} />
    </SettingsPage>
  );
}
