import { Stack, Text, Title } from "@mantine/core";
import { usePageTitle } from "@/domain/use-page-title";
import { useSession } from "@/features/accounts/api";
import { UserList } from "@/features/accounts/users/user-list";

export default function UsersPage() {
  const user = useSession().data;
  usePageTitle("Users");
  return (
    <Stack gap="md" maw="46rem" mx="auto">
      <div>
        <Title order={1}>People</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          Manage who can sign in, and their roles.
        </Text>
      </div>
      <UserList ownId={user?.id ?? ""} />
    </Stack>
  );
}
