import { Group, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { UploadButton } from "@/components/upload-button";
import { messageOf } from "@/lib/api-error";
import { useSpecReport } from "./api";
import { SpecResult } from "./spec-result";

const VALIDATE_DELAY_MS = 400;
const MAX_LENGTH = 500_000;

interface SpecFieldsProps {
  text: string;
  onChange: (text: string) => void;
  /** Why the server rejected the text. */
  error?: string | undefined;
  /** More ways to fill it in. */
  actions?: ReactNode;
}

/** A spec to paste or upload, with what is read in it while it is typed. */
export function SpecFields({ text, onChange, error, actions }: SpecFieldsProps) {
  const [validated] = useDebouncedValue(text, VALIDATE_DELAY_MS);
  const report = useSpecReport(validated);
  const [problem, setProblem] = useState("");
  const choose = async (files: File[]) => {
    setProblem("");
    try {
      const texts = await Promise.all(inOrder(files).map((file) => file.text()));
      const joined = texts.map((it) => it.trimEnd()).join("\n\n");
      if (joined.length > MAX_LENGTH)
        throw new Error("The files have more than 500,000 characters");
      if (joined) onChange(`${joined}\n`);
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  };
  return (
    <>
      <div>
        <Group justify="space-between" align="flex-end" mb={4}>
          <Text component="label" htmlFor="spec-text" fz="sm" fw={500}>
            Spec
          </Text>
          <Group gap="xs">
            {actions}
            <UploadButton
              multiple
              accept=".md,.markdown,text/markdown"
              label="Files of the spec"
              size="xs"
              onChoose={choose}
            >
              Upload files
            </UploadButton>
          </Group>
        </Group>
        <Textarea
          id="spec-text"
          description="Markdown with requirements and pass criteria. The files of Spec Kit and Kiro can be uploaded together."
          placeholder={"## Requirements\n- …\n\n## Pass Criteria\n- `npm test` passes"}
          autosize
          minRows={8}
          maxRows={16}
          maxLength={MAX_LENGTH}
          error={problem || error}
          attributes={{ input: { dir: "auto", spellCheck: false } }}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      <SpecResult report={validated.trim() ? report.data : undefined} error={report.error} />
    </>
  );
}

/** Documents of one spec: what to build first, then how. */
const DOCUMENTS = ["spec.md", "requirements.md", "plan.md", "design.md", "tasks.md"];

function inOrder(files: File[]): File[] {
  const place = ({ name }: File) => {
    const at = DOCUMENTS.indexOf(name.toLowerCase());
    return at < 0 ? DOCUMENTS.length : at;
  };
  return [...files].sort((a, b) => place(a) - place(b));
}
