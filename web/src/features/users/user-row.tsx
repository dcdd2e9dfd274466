import { ActionIcon, Group, Menu, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { ConfirmModal } from "@/components/confirm-modal";
import { PlainListItem } from "@/components/plain-list";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { Invitation, User } from "@/lib/api";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useInvite, useUpdateUser } from "./api";

interface UserRowProps {
  user: User;
  /** It is whoever looks: somebody else has to change it. */
  own: boolean;
  onInvited: (name: string, invitation: Invitation) => void;
}

export function UserRow({ user, own, onInvited }: UserRowProps) {
  const update = useUpdateUser();
  const invite = useInvite();
  const [asked, { open, close }] = useDisclosure(false);
  const shut = user.disabled_at !== null;
  const change = (body: { role?: "user" | "admin"; disabled?: boolean }, done: string) =>
    update.mutate(
      { id: user.id, ...body },
      {
        onSuccess: () => notifyDone(done),
        onError: (error) => notifyFailed("The account was not changed", error),
      },
    );
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
        <Group gap="xs">
          <Text fw={550}>{user.name}</Text>
          {user.role === "admin" && <ToneBadge tone="info">Admin</ToneBadge>}
          {shut && <ToneBadge tone="neutral">Shut</ToneBadge>}
          {own && <ToneBadge tone="neutral">You</ToneBadge>}
        </Group>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {user.email} · here since <TimeAgo at={user.created_at} />
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
            <Menu.Item
              onClick={() =>
                invite.mutate(user.id, {
                  onSuccess: (invitation) => onInvited(user.name, invitation),
                  onError: (error) => notifyFailed("There is no link", error),
                })
              }
            >
              Link to set a new password
            </Menu.Item>
            {user.role === "admin" ? (
              <Menu.Item onClick={() => change({ role: "user" }, `${user.name} is a user now.`)}>
                Make a user
              </Menu.Item>
            ) : (
              <Menu.Item onClick={() => change({ role: "admin" }, `${user.name} is an admin now.`)}>
                Make an admin
              </Menu.Item>
            )}
            <Menu.Divider />
            {shut ? (
              <Menu.Item
                onClick={() => change({ disabled: false }, `${user.name} can sign in again.`)}
              >
                Open the account
              </Menu.Item>
            ) : (
              <Menu.Item color="red" onClick={open}>
                Shut the account…
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <ConfirmModal
        opened={asked}
        onClose={close}
        title={`Shut the account of ${user.name}?`}
        body="They are signed out everywhere and their keys stop working. Their projects and builds stay, and you can open the account again."
        confirm="Shut the account"
        onConfirm={() => change({ disabled: true }, `The account of ${user.name} is shut.`)}
      />
    </PlainListItem>
  );
}
