import { ActionIcon, Group, Menu, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { ConfirmModal } from "@/components/confirm-modal";
import { PlainListItem } from "@/components/plain-list";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { Invitation, User } from "@/lib/api";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useUpdateUser } from "./api";
import { ResetPassword } from "./reset-password";

interface UserRowProps {
  user: User;
  /** Whether it is the signed-in user, who cannot change their own role. */
  own: boolean;
  onInvited: (name: string, invitation: Invitation) => void;
}

export function UserRow({ user, own, onInvited }: UserRowProps) {
  const update = useUpdateUser();
  const [confirmOpened, { open, close }] = useDisclosure(false);
  const [resetting, reset] = useDisclosure(false);
  const isDeactivated = user.disabled_at !== null;
  const change = (body: { role?: "user" | "admin"; disabled?: boolean }, done: string) =>
    update.mutate(
      { id: user.id, ...body },
      {
        onSuccess: () => notifyDone(done),
        onError: (error) => notifyFailed("Could not update the user", error),
      },
    );
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
        <Group gap="xs">
          <Text fw={550}>{user.name}</Text>
          {user.role === "admin" && <ToneBadge tone="info">Admin</ToneBadge>}
          {isDeactivated && <ToneBadge tone="neutral">Deactivated</ToneBadge>}
          {own && <ToneBadge tone="neutral">You</ToneBadge>}
        </Group>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {user.email} · joined <TimeAgo at={user.created_at} />
        </Text>
      </Stack>
      {!own && (
        <Menu position="bottom-end" withinPortal shadow="md">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name}`}>
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={reset.open}>Reset password…</Menu.Item>
            {user.role === "admin" ? (
              <Menu.Item onClick={() => change({ role: "user" }, `${user.name} is now a user.`)}>
                Change role to user
              </Menu.Item>
            ) : (
              <Menu.Item
                onClick={() => change({ role: "admin" }, `${user.name} is now an administrator.`)}
              >
                Change role to administrator
              </Menu.Item>
            )}
            <Menu.Divider />
            {isDeactivated ? (
              <Menu.Item
                onClick={() => change({ disabled: false }, `${user.name} was reactivated.`)}
              >
                Reactivate
              </Menu.Item>
            ) : (
              <Menu.Item color="red" onClick={open}>
                Deactivate…
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <ResetPassword
        user={user}
        opened={resetting}
        onClose={reset.close}
        onInvited={(invitation) => onInvited(user.name, invitation)}
      />
      <ConfirmModal
        opened={confirmOpened}
        onClose={close}
        title={`Deactivate ${user.name}?`}
        body="They are signed out and their keys stop working. Their projects and builds are kept. You can reactivate the user at any time."
        confirm="Deactivate user"
        onConfirm={() => change({ disabled: true }, `${user.name} was deactivated.`)}
      />
    </PlainListItem>
  );
}
