import { Button, Group, Text, Title } from "@mantine/core";
import { IconFileText, IconFileZip } from "@tabler/icons-react";
import { useState } from "react";
import { CommandLineBlock } from "@/components/command-line-block";
import type { Build } from "@/lib/api";
import { shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import { downloadEvidence, downloadReport } from "./downloads";

/** How to get the branch and the evidence. */
export function DownloadEvidence({ build }: { build: Build }) {
  const [busy, setBusy] = useState(false);
  async function download() {
    setBusy(true);
    await downloadEvidence(build.id);
    setBusy(false);
  }
  return (
    <>
      <section aria-labelledby="seal-branch">
        <Title order={3} id="seal-branch" mb={6}>
          Get the branch
        </Title>
        <CommandLineBlock
          command={`git clone -b ${build.branch} ${location.origin}${paths.repository(build.project_id)}`}
        />
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
      </section>
      <section aria-labelledby="seal-evidence">
        <Title order={3} id="seal-evidence">
          Download evidence
        </Title>
        <Text fz="sm" c="dimmed" my={6}>
          A zip file with the signed seal, the journal, the contracts and the branch. It can be
          verified without this server:
        </Text>
        <CommandLineBlock command={`forgeguard verify build-${build.id}.zip --key seal.pub`} />
        <Text fz="xs" c="dimmed" my={6}>
          <code>seal.pub</code> is this installation's public key. Its operator exports it with{" "}
          <code>forgeguard seal-key &gt; seal.pub</code>.
        </Text>
        <Group gap="xs" mt="sm">
          <Button
            size="xs"
            leftSection={<IconFileZip size={15} aria-hidden />}
            loading={busy}
            onClick={() => void download()}
          >
            Download evidence
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconFileText size={15} aria-hidden />}
            onClick={() => void downloadReport(build.id)}
          >
            Download report
          </Button>
        </Group>
      </section>
    </>
  );
}
