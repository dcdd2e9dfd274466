import { Stack, Text, Title } from "@mantine/core";
import { useSession } from "@/features/session/api";
import { UserList } from "@/features/users/user-list";
import { useTitle } from "@/lib/use-title";
import NotFoundPage from "./not-found";

export default function UsersPage() {
  const user = useSession().data;
  useTitle("People");
  if (user?.role !== "admin") return <NotFoundPage />;
  return (
    <Stack gap="md" maw="46rem" mx="auto">
      <div>
        <Title order={1}>People</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          Who may use this installation, and as what.
        </Text>
      </div>
      <UserList ownId={user.id} />
    </Stack>
  );
}
