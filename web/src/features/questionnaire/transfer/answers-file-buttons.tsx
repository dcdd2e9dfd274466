import { Button, FileButton, Group, Text } from "@mantine/core";
import { IconDownload, IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { messageOf } from "@/lib/api-error";
import { saveFile } from "@/lib/save-file";
import type { AnswersForm } from "../answers/use-answers";
import { type FileAnswers, readFile, writeFile } from "./answers-file";
import { ImportAnswers } from "./import-answers";

interface AnswersFileProps {
  form: AnswersForm;
  projectName: string;
}

export function AnswersFile({ form, projectName }: AnswersFileProps) {
  const [imported, setImported] = useState<FileAnswers | null>(null);
  const [problem, setProblem] = useState("");
  // Reset, so that the same file can be selected again.
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
          onClick={() => {
            const file = writeFile(projectName, form.state.draft, new Date());
            saveFile(file, file.name);
          }}
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
