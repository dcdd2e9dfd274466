import { Button, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { CommandLineBlock } from "@/components/command-line-block";
import { OwnerOnly } from "@/components/owner-only";
import { cloneCommand } from "@/domain/clone-command";
import type { Build } from "@/lib/api";
import { shortSha } from "@/lib/format";
import { StartDialog } from "../overview/start-dialog";
import { useStartAndOpen } from "../overview/use-start-and-open";

/** How to get the branch, and how to continue from it. */
export function GetBranch({ build }: { build: Build }) {
  return (
    <section aria-labelledby="seal-branch">
      <Title order={3} id="seal-branch" mb={6}>
        Get the branch
      </Title>
      <CommandLineBlock command={cloneCommand(build.project_id, build.branch)} />
      <Text fz="xs" c="dimmed" my={6}>
        Or in an existing clone:
      </Text>
      <CommandLineBlock
        command={`git fetch origin ${build.branch} && git switch ${build.branch}`}
      />
      <Text fz="xs" c="dimmed" mt={6}>
        The last commit is the seal commit <code>{shortSha(build.seal?.seal_commit ?? "")}</code>.
        Your default branch was not changed.
      </Text>
      <OwnerOnly>
        <ContinueInNewBuild build={build} />
      </OwnerOnly>
    </section>
  );
}

/** Offers a build that starts from the sealed branch. */
function ContinueInNewBuild({ build }: { build: Build }) {
  const [opened, { open, close }] = useDisclosure(false);
  const start = useStartAndOpen(build.project_id);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        mt="sm"
        leftSection={<IconPlayerPlay size={14} aria-hidden />}
        onClick={open}
      >
        Continue in a new build
      </Button>
      <StartDialog
        projectId={build.project_id}
        opened={opened}
        onClose={close}
        onStart={start}
        initial={{ baseline_branch: build.branch }}
      />
    </>
  );
}
