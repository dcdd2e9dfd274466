import { Checkbox, Group } from "@mantine/core";
import type { Clarification } from "@/lib/api";
import { type AnswerDraft, answerOf, type Resolution } from "./answer-draft";
import { AnswerField } from "./answer-field";

interface AnswerFormProps {
  question: Clarification;
  draft: AnswerDraft;
  busy: boolean;
  onChange: (draft: AnswerDraft) => void;
  onAnswer: (answer: Resolution) => void;
}

/** A field for an answer, below the options if several may be chosen. */
export function AnswerForm({ question, draft, busy, onChange, onAnswer }: AnswerFormProps) {
  const answer = answerOf(question, draft);
  return (
    <>
      {question.multiple && (
        <Checkbox.Group
          aria-label="Options"
          value={draft.chosen}
          onChange={(chosen) => onChange({ ...draft, chosen })}
        >
          <Group gap="0.5rem 1rem" mt="xs">
            {question.options.map((option) => (
              <Checkbox key={option} value={option} label={option} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <AnswerField
        label={`Answer to: ${question.question}`}
        placeholder={question.multiple ? "Other" : undefined}
        send="Answer"
        text={draft.text}
        busy={busy}
        disabled={answer === null}
        onType={(text) => onChange({ ...draft, text })}
        onSend={() => answer && onAnswer(answer)}
      />
    </>
  );
}
