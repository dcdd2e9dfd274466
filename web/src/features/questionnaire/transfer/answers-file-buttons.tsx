import { Button, Group, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { UploadButton } from "@/components/upload-button";
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
  const choose = async ([file]: File[]) => {
    if (!file) return;
    setProblem("");
    await readFile(file).then(setImported, (error) => setProblem(messageOf(error)));
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
        <UploadButton
          accept="application/json,.json"
          label="File with answers"
          size="xs"
          onChoose={choose}
        >
          Import
        </UploadButton>
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
