import { Avatar, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import {
  IconGitPullRequest,
  IconKeyboard,
  IconListDetails,
  IconLogout,
  IconMoon,
  IconSettings,
  IconSun,
  IconUser,
  IconUsers,
} from "@tabler/icons-react";
import { useNavigate } from "react-router";
import { ACTIONS, runAction } from "@/domain/actions";
import { useSession, useSignOut } from "@/features/accounts/api";
import { paths } from "@/lib/paths";
import { useComputedScheme } from "./use-computed-scheme";

export function UserMenu() {
  const user = useSession().data;
  const signOut = useSignOut();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedScheme() === "dark";
  if (!user) return null;
  return (
    <Menu position="bottom-end" width={230} withinPortal shadow="md">
      <Menu.Target>
        <UnstyledButton aria-label={`Account menu of ${user.name}`} style={{ borderRadius: "50%" }}>
          <Avatar name={user.name} color="indigo" variant="light" size={32} alt="" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name}
          <br />
          {user.email}
        </Menu.Label>
        <Menu.Item
          leftSection={<IconUser size={16} aria-hidden />}
          onClick={() => navigate(paths.account)}
        >
          Account
        </Menu.Item>
        {user.role === "admin" && (
          <>
            <Menu.Item
              leftSection={<IconGitPullRequest size={16} aria-hidden />}
              onClick={() => navigate(paths.reviews)}
            >
              Reviews
            </Menu.Item>
            <Menu.Item
              leftSection={<IconUsers size={16} aria-hidden />}
              onClick={() => navigate(paths.users)}
            >
              People
            </Menu.Item>
            <Menu.Item
              leftSection={<IconSettings size={16} aria-hidden />}
              onClick={() => navigate(paths.installationSettings)}
            >
              Installation settings
            </Menu.Item>
            <Menu.Item
              leftSection={<IconListDetails size={16} aria-hidden />}
              onClick={() => navigate(paths.auditLog)}
            >
              Audit log
            </Menu.Item>
          </>
        )}
        <Menu.Item
          leftSection={
            dark ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />
          }
          onClick={() => setColorScheme(dark ? "light" : "dark")}
        >
          {dark ? "Light theme" : "Dark theme"}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={16} aria-hidden />}
          onClick={() => runAction("keys")}
        >
          {ACTIONS.keys.label}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => signOut.mutate()}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
