import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { usePageTitle } from "@/domain/use-page-title";
import { ProjectSettings } from "@/features/projects/project-settings";
import { useRemote } from "@/features/remotes/api";
import { ProjectCredentialsCard } from "@/features/remotes/credentials-card";
import { RemoteSettingsCard } from "@/features/remotes/remote-settings-card";
import { WebhooksCard } from "@/features/webhooks/webhooks-card";
import { useCurrentProject } from "../project/current-project";
import NotFoundPage from "./not-found";

export default function ProjectSettingsPage() {
  const project = useCurrentProject();
  usePageTitle("Settings", project.name);
  const remote = useRemote(project.id).data;
  if (project.role === "viewer") return <NotFoundPage />;
  return (
    <>
      <PageHeader title="Settings" about="How this project is built, and who has access to it." />
      <ProjectSettings project={project} hasRemote={remote != null}>
        <PanelBoundary what="the connected repository">
          <RemoteSettingsCard projectId={project.id} />
        </PanelBoundary>
        <ProjectCredentialsCard projectId={project.id} />
        <WebhooksCard scope={project.id} />
      </ProjectSettings>
    </>
  );
}
