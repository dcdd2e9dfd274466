import { Switch, Text } from "@mantine/core";
import { SectionCard } from "@/components/section-card";
import { type Standing, useStanding } from "./standing";

const CANNOT: Partial<Record<Standing, string>> = {
  unsupported:
    "This browser shows none here. Most do on an address that begins with https, or on this very machine.",
  blocked:
    "This browser blocks them for ForgeGuard. Allow them in its settings for this site, then load the page again.",
};

export function NotificationSettings() {
  const { standing, turnOn, turnOff } = useStanding();
  const cannot = CANNOT[standing];
  return (
    <SectionCard
      title="Notifications"
      description="Tell you when a build asks or ends while you are in another tab. Kept in this browser."
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
