import { Button, FileButton, Group, Text } from "@mantine/core";
import { IconDownload, IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { messageOf } from "@/lib/problem";
import { type FileAnswers, readFile, writeFile } from "./answers-file";
import { ImportAnswers } from "./import-answers";
import type { AnswersForm } from "./use-answers";

interface AnswersFileProps {
  form: AnswersForm;
  projectName: string;
}

/** Takes the answers out as a file, and takes them in from one. */
export function AnswersFile({ form, projectName }: AnswersFileProps) {
  const [imported, setImported] = useState<FileAnswers | null>(null);
  const [problem, setProblem] = useState("");
  // The same file can be chosen again, after it was changed.
  const reset = useRef<() => void>(null);
  const choose = async (file: File | null) => {
    if (!file) return;
    setProblem("");
    await readFile(file).then(setImported, (error) => setProblem(messageOf(error)));
    reset.current?.();
  };
  return (
    <div>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => download(writeFile(projectName, form.state.draft, new Date()))}
        >
          Export
        </Button>
        <FileButton accept="application/json,.json" resetRef={reset} onChange={choose}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="xs"
              leftSection={<IconUpload size={14} aria-hidden />}
            >
              Import
            </Button>
          )}
        </FileButton>
      </Group>
      <Text role="alert" fz="sm" c="var(--mantine-color-error)">
        {problem}
      </Text>
      {imported && (
        <ImportAnswers form={form} imported={imported} onClose={() => setImported(null)} />
      )}
    </div>
  );
}

function download(file: File) {
  const url = URL.createObjectURL(file);
  const link = Object.assign(document.createElement("a"), { href: url, download: file.name });
  link.click();
  URL.revokeObjectURL(url);
}
