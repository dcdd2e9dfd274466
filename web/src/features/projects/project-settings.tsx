import { Stack } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import { useBuildReadiness } from "@/domain/build-readiness";
import { useSettings } from "./api";
import { SettingsForm } from "./settings-form";
import { ViewersCard } from "./viewers-card";

export function ProjectSettings({ projectId }: { projectId: string }) {
  const query = useSettings(projectId);
  const readiness = useBuildReadiness(projectId);
  return (
    <QueryView query={query} what="settings">
      {(settings) => (
        <Stack gap="md">
          <QueryView query={readiness} what="installation limits">
            {({ installation_budgets }) => (
              <SettingsForm
                projectId={projectId}
                settings={settings}
                inherited={installation_budgets}
              />
            )}
          </QueryView>
          <ViewersCard projectId={projectId} />
        </Stack>
      )}
    </QueryView>
  );
}
