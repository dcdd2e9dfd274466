import { Stack, Text, Title } from "@mantine/core";
import { Appearance } from "@/features/account/appearance";
import { ChangePassword } from "@/features/account/change-password";
import { ForgeKeys } from "@/features/account/forge-keys";
import { SignedInPlaces } from "@/features/account/signed-in-places";
import { NotificationSettings } from "@/features/notifications/notification-settings";
import { useSession } from "@/features/session/api";
import { useTitle } from "@/lib/use-title";

export default function AccountPage() {
  const user = useSession().data;
  useTitle("Account");
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
      <SignedInPlaces />
      <ChangePassword />
      <NotificationSettings />
      <Appearance />
    </Stack>
  );
}
