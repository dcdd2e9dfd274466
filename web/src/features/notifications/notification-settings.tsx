import { Switch, Text } from "@mantine/core";
import { SectionCard } from "@/components/section-card";
import { type NotificationState, useNotificationState } from "./permission";

const CANNOT: Partial<Record<NotificationState, string>> = {
  unsupported: "Notifications are not available here. Most browsers require https or localhost.",
  blocked:
    "Notifications are blocked for this site. Allow them in your browser settings, then reload the page.",
};

export function NotificationSettings() {
  const { standing, turnOn, turnOff } = useNotificationState();
  const cannot = CANNOT[standing];
  return (
    <SectionCard
      title="Notifications"
      description="Notify you of new items in your inbox and of sealed builds while you are in another tab. Applies to this browser."
    >
      <Switch
        label="Notify me"
        checked={standing === "on"}
        disabled={cannot !== undefined}
        onChange={(event) => (event.currentTarget.checked ? void turnOn() : turnOff())}
      />
      {cannot && (
        <Text fz="sm" c="dimmed" mt="xs">
          {cannot}
        </Text>
      )}
    </SectionCard>
  );
}
