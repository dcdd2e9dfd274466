import { Button, Group, Text, Title } from "@mantine/core";
import { IconFileText, IconFileZip, IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { CommandLineBlock } from "@/components/command-line-block";
import { CopyIcon } from "@/components/copy-icon";
import type { Build } from "@/lib/api";
import { saveFile } from "@/lib/save-file";
import { useSealKey } from "./api";
import { downloadEvidence, downloadReport } from "./downloads";

/** Name of the downloaded public key. */
const KEY_FILE = "seal.pub";

/** The evidence as a file, and what verifies it. */
export function DownloadEvidence({ build }: { build: Build }) {
  const [busy, setBusy] = useState(false);
  const key = useSealKey().data;
  async function download() {
    setBusy(true);
    await downloadEvidence(build.id);
    setBusy(false);
  }
  return (
    <section aria-labelledby="seal-evidence">
      <Title order={3} id="seal-evidence">
        Download evidence
      </Title>
      <Text fz="sm" c="dimmed" my={6}>
        A zip file with the signed seal, the journal, the contracts and the branch. It can be
        verified without this server:
      </Text>
      <CommandLineBlock command={`forgeguard verify build-${build.id}.zip --key ${KEY_FILE}`} />
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
        <Button
          size="xs"
          variant="default"
          leftSection={<IconKey size={15} aria-hidden />}
          disabled={!key}
          onClick={() =>
            key &&
            saveFile(new Blob([key.public_key], { type: "application/x-pem-file" }), KEY_FILE)
          }
        >
          Download {KEY_FILE}
        </Button>
      </Group>
      {key && (
        <Text component="div" fz="xs" c="dimmed" mt="xs">
          {KEY_FILE} is this installation’s public key. To be sure that it is genuine, compare its
          SHA-256 fingerprint with the one that the operator gives you:
          <Group gap={4} wrap="nowrap" mt={2}>
            <code style={{ overflowWrap: "anywhere" }}>{key.key_id}</code>
            <CopyIcon value={key.key_id} what="fingerprint" />
          </Group>
        </Text>
      )}
    </section>
  );
}
