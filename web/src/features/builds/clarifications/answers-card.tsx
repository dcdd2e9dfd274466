import { Anchor, Box, Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconTextPlus } from "@tabler/icons-react";
import { Link } from "react-router";
import { SectionCard } from "@/components/section-card";
import { buildName } from "@/domain/build-name";
import type { ContractFormat, ContractType, PlacedClarification } from "@/lib/api";
import { paths } from "@/lib/paths";
import { answerNote } from "./answer-note";
import { useAnswers } from "./api";
import { quotedAnswer } from "./quoted-answer";

interface AnswersCardProps {
  projectId: string;
  type: ContractType;
  /** The edited text, and a function that inserts a note; null while the contract is only read. */
  editing: { text: string; format: ContractFormat; onInsert: (note: string) => void } | null;
}

/** Answers from builds about a contract, to be inserted into its next version. */
export function AnswersCard({ projectId, type, editing }: AnswersCardProps) {
  const all = useAnswers(projectId).data ?? [];
  // Answers without a known contract are shown with the first one.
  const answers = all.filter(
    ({ clarification }) => (clarification.contract ?? "manifesto") === type,
  );
  if (answers.length === 0) return null;
  return (
    <SectionCard
      title="Answers from builds"
      description={
        editing
          ? `Answers are inserted at the cursor${
              editing.format === "json" ? ", as a JSON string" : ""
            }. The contract is not saved automatically.`
          : "Questions of earlier builds. Edit the contract to insert answers, so that they are not asked again."
      }
    >
      <Stack component="ul" gap={12} className="plain-list">
        {answers.map((answer) => (
          <Group
            component="li"
            key={answer.clarification.id}
            justify="space-between"
            align="flex-start"
            gap="0.5rem 1rem"
          >
            <Answer answer={answer} />
            {editing && <Insert answer={answer} {...editing} />}
          </Group>
        ))}
      </Stack>
    </SectionCard>
  );
}

function Answer({ answer }: { answer: PlacedClarification }) {
  const { clarification: asked, project_id: project, build_number: build } = answer;
  const to =
    asked.asked_seq === null
      ? paths.build(project, build)
      : paths.event(project, build, asked.asked_seq);
  return (
    <Box flex="1 1 16rem" miw={0}>
      <Text fz="sm" fw={550}>
        {asked.question}
      </Text>
      <Text fz="sm">{quotedAnswer(asked)}</Text>
      <Text fz="xs" c="dimmed">
        {asked.answered_by_name ?? "A user"} in{" "}
        <Anchor component={Link} to={to} fz="xs" underline="always">
          {buildName({ number: build, title: answer.build_title })}
        </Anchor>
        {asked.contract === null && " · asked before a contract was read"}
      </Text>
    </Box>
  );
}

interface InsertProps {
  answer: PlacedClarification;
  text: string;
  format: ContractFormat;
  onInsert: (note: string) => void;
}

function Insert({ answer: { clarification }, text, format, onInsert }: InsertProps) {
  const note = answerNote(clarification, format);
  const isIn = text.includes(note.trim());
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconTextPlus size={14} aria-hidden />}
      disabled={isIn}
      onClick={() => onInsert(note)}
    >
      {isIn ? "Inserted" : "Insert"}
      <VisuallyHidden component="span">: {clarification.question}</VisuallyHidden>
    </Button>
  );
}
