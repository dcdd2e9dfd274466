import { Text } from "@mantine/core";
import { CommandLineBlock } from "@/components/command-line-block";
import { SectionCard } from "@/components/section-card";
import { cloneCommand } from "@/domain/clone-command";
import { paths } from "@/lib/paths";

interface CloneCardProps {
  projectId: string;
  branch: string | null;
  defaultBranch: string;
  /** Whether the first push may replace the repository's content. */
  pushable: boolean;
}

/** How to clone the repository, and fetch the build's branch. */
export function CloneCard({ projectId, branch, defaultBranch, pushable }: CloneCardProps) {
  const url = location.origin + paths.repository(projectId);
  return (
    <SectionCard
      title="Clone"
      description={branch ? "The branch of the latest build." : "The project's repository."}
    >
      <CommandLineBlock command={cloneCommand(projectId, branch)} />
      {!branch && pushable && (
        <>
          <Text fz="sm" mt="md" mb={6}>
            To build on an existing repository, push it. The first push replaces the initial commit:
          </Text>
          <CommandLineBlock command={`git push ${url} HEAD:${defaultBranch}`} />
        </>
      )}
      <Text fz="xs" c="dimmed" mt="xs">
        When Git asks for a username and password, enter any name and one of your forge keys.
        {branch &&
          " While the build runs, you can push to its branch. The build continues from your commits."}
      </Text>
    </SectionCard>
  );
}
