import { QueryView } from "@/components/query-view";
import { useSettings } from "./api";
import { SettingsForm } from "./settings-form";

export function ProjectSettings({ projectId }: { projectId: string }) {
  const query = useSettings(projectId);
  return (
    <QueryView query={query} what="the settings">
      {(settings) => <SettingsForm projectId={projectId} settings={settings} />}
    </QueryView>
  );
}
