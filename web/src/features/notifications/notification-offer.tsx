import { Button, CloseButton, Group, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useNotificationState } from "./permission";

/** Shown once, below a question. The setting is also on the account page. */
export function NotificationOffer() {
  const { standing, turnOn, turnOff } = useNotificationState();
  if (standing !== "unasked") return null;
  return (
    <Group
      component="section"
      gap="xs"
      wrap="nowrap"
      pt="xs"
      pl="lg"
      pr="sm"
      c="dimmed"
      aria-label="Notifications"
    >
      <IconBell size={16} aria-hidden />
      <Text fz="xs" flex={1} miw={0}>
        Get notified when a build has a question or finishes?
      </Text>
      <Button size="compact-xs" variant="default" onClick={() => void turnOn()}>
        Notify me
      </Button>
      <CloseButton size="sm" aria-label="Dismiss" onClick={turnOff} />
    </Group>
  );
}
