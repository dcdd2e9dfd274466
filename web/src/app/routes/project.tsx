import { Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { Outlet, useNavigate, useParams, useSearchParams } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import { QueryView } from "@/components/query-view";
import { ToneBadge } from "@/components/tone-badge";
import { ProjectRole } from "@/domain/project-access";
import { usePageTitle } from "@/domain/use-page-title";
import { useProject } from "@/features/projects/api";
import { ProjectSettings } from "@/features/projects/project-settings";
import { isStatus } from "@/lib/api-error";
import { paths } from "@/lib/paths";
import { ProjectOverview } from "../project-overview";
import NotFoundPage from "./not-found";

export default function ProjectPage() {
  const { projectId = "", buildId } = useParams();
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  const settings = query.get("view") === "settings" && !buildId && project.data?.role !== "viewer";
  return (
    <ProjectRole value={project.data ?? null}>
      {!buildId && <ProjectTitle name={project.data?.name} />}
      <QueryView query={project} what="project">
        {({ name, description, origin, role, owner }) => (
          <Stack gap="lg">
            <div>
              <Group gap="sm">
                <Title order={1}>{name}</Title>
                {origin === "demo" && <ToneBadge tone="accent">Demo</ToneBadge>}
              </Group>
              {description && (
                <Text c="dimmed" mt={4} maw="44rem">
                  {description}
                </Text>
              )}
              {role === "viewer" && (
                <Group gap={6} fz="sm" c="dimmed" mt={4}>
                  <IconEye size={16} aria-hidden />
                  Shared by {owner.name}. You have view-only access.
                </Group>
              )}
            </div>
            <Tabs
              value={settings ? "settings" : "overview"}
              onChange={(tab) =>
                navigate(
                  tab === "settings" ? paths.projectSettings(projectId) : paths.project(projectId),
                )
              }
            >
              <OwnerOnly>
                <Tabs.List mb="lg">
                  <Tabs.Tab value="overview">Overview</Tabs.Tab>
                  <Tabs.Tab value="settings">Settings</Tabs.Tab>
                </Tabs.List>
              </OwnerOnly>
              <Tabs.Panel value="overview">
                <ProjectOverview projectId={projectId} demo={origin === "demo"} />
              </Tabs.Panel>
              <Tabs.Panel value="settings">
                {settings && <ProjectSettings projectId={projectId} />}
              </Tabs.Panel>
            </Tabs>
          </Stack>
        )}
      </QueryView>
      <Outlet />
    </ProjectRole>
  );
}

function ProjectTitle({ name }: { name: string | undefined }) {
  usePageTitle(name ?? "Project");
  return null;
}
