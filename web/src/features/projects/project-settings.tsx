import { Stack } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import { useSettings } from "./api";
import { SettingsForm } from "./settings-form";
import { ViewersCard } from "./viewers-card";

export function ProjectSettings({ projectId }: { projectId: string }) {
  const query = useSettings(projectId);
  return (
    <QueryView query={query} what="the settings">
      {(settings) => (
        <Stack gap="md">
          <SettingsForm projectId={projectId} settings={settings} />
          <ViewersCard projectId={projectId} />
        </Stack>
      )}
    </QueryView>
  );
}
