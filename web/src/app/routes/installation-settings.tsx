import { Stack, Text, Title } from "@mantine/core";
import { usePageTitle } from "@/domain/use-page-title";
import { InstallationSettings } from "@/features/installation/installation-settings";

export default function InstallationSettingsPage() {
  usePageTitle("Installation settings");
  return (
    <Stack gap="md" maw="46rem" mx="auto">
      <div>
        <Title order={1}>Installation settings</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          Limits and models for all projects.
        </Text>
      </div>
      <InstallationSettings />
    </Stack>
  );
}
