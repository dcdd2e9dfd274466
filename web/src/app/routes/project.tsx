import { Group, Stack, Text, Title } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { Navigate, useSearchParams } from "react-router";
import { ToneBadge } from "@/components/tone-badge";
import { usePageTitle } from "@/domain/use-page-title";
import { paths } from "@/lib/paths";
import { useCurrentProject } from "../project/current-project";
import { ProjectOverview } from "../project-overview";

export default function ProjectPage() {
  const project = useCurrentProject();
  const { id, name, description, origin, role, owner } = project;
  const [query] = useSearchParams();
  usePageTitle(name);
  // The address of the settings in earlier versions.
  if (query.get("view") === "settings") return <Navigate replace to={paths.projectSettings(id)} />;
  return (
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
      <ProjectOverview
        projectId={id}
        defaultBranch={project.default_branch}
        demo={origin === "demo"}
        owner={role === "owner"}
        maxConcurrent={project.max_concurrent_builds}
      />
    </Stack>
  );
}
