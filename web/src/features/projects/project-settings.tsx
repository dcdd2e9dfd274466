import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { QueryView } from "@/components/query-view";
import { useBuildReadiness } from "@/domain/build-readiness";
import type { Project } from "@/lib/api";
import { useSettings } from "./api";
import { LifecycleCard } from "./lifecycle-card";
import { NameCard } from "./name-card";
import { SettingsForm } from "./settings-form";
import { SpecCard } from "./spec-card";
import { ViewersCard } from "./viewers-card";

interface ProjectSettingsProps {
  project: Project;
  hasRemote: boolean;
  /** Further cards. */
  children: ReactNode;
}

export function ProjectSettings({ project, hasRemote, children }: ProjectSettingsProps) {
  if (project.archived_at) return <LifecycleCard project={project} />;
  return (
    <Stack gap="md">
      <PanelBoundary what="name and description">
        <NameCard project={project} />
      </PanelBoundary>
      <PanelBoundary what="build settings">
        <BuildSettings projectId={project.id} />
      </PanelBoundary>
      <PanelBoundary what="spec">
        <SpecCard projectId={project.id} hasRemote={hasRemote} />
      </PanelBoundary>
      {children}
      <PanelBoundary what="viewers">
        <ViewersCard projectId={project.id} />
      </PanelBoundary>
      <LifecycleCard project={project} />
    </Stack>
  );
}

function BuildSettings({ projectId }: { projectId: string }) {
  const query = useSettings(projectId);
  const readiness = useBuildReadiness(projectId);
  return (
    <QueryView query={query} what="settings">
      {(settings) => (
        <QueryView query={readiness} what="installation limits">
          {({ installation_budgets, installation_limits }) => (
            <SettingsForm
              projectId={projectId}
              settings={settings}
              inherited={installation_budgets}
              installationLimits={installation_limits}
            />
          )}
        </QueryView>
      )}
    </QueryView>
  );
}
