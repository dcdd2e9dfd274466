import { Stack, Text, Title } from "@mantine/core";
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
    <Stack gap="md" maw="46rem" mx="auto">
      <div>
        <Title order={1}>Account</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          {user?.name} · {user?.email}
          {user?.role === "admin" && " · admin"}
        </Text>
      </div>
      <ForgeKeys />
      <Sessions />
      <ChangePassword />
      <NotificationSettings />
      <Appearance />
    </Stack>
  );
}
