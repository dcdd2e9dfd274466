import { Text } from "@mantine/core";
import { CommandLineBlock } from "@/components/command-line-block";
import { SectionCard } from "@/components/section-card";
import { paths } from "@/lib/paths";

/** How to clone the repository, and fetch the build's branch. */
export function CloneCard({ projectId, branch }: { projectId: string; branch: string | null }) {
  const url = location.origin + paths.repository(projectId);
  const command = branch ? `git clone -b ${branch} ${url}` : `git clone ${url}`;
  return (
    <SectionCard
      title="Clone"
      description={branch ? "The branch of the latest build." : "The project's repository."}
    >
      <CommandLineBlock command={command} />
      <Text fz="xs" c="dimmed" mt="xs">
        When Git asks for a username and password, enter any name and one of your forge keys.
        {branch &&
          " While the build runs, you can push to its branch. The build continues from your commits."}
      </Text>
    </SectionCard>
  );
}
