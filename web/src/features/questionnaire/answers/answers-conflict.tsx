import { Box, Button, Radio, SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import { ConflictAlert } from "@/components/conflict-alert";
import type { Answer, Section } from "@/lib/api";
import { plural } from "@/lib/format";
import { AnswerText } from "./answer-text";
import { type Draft, draftOf, questionAt } from "./draft";
import { type Conflict, combined, mergeDrafts } from "./merge";
import type { AnswersForm } from "./use-answers";

type Choice = "mine" | "theirs" | "both";

/** Lets the user choose between answers that were changed in two windows. */
export function AnswersConflict({ form }: { form: AnswersForm }) {
  const { saver, state } = form;
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  if (!state.theirs) return null;
  const { sections } = state.saved;
  const theirs = draftOf(state.theirs);
  const { merged, clashes } = mergeDrafts(draftOf(state.saved), state.draft, theirs);
  const choiceOf = (clash: Conflict) =>
    choices[clash.key] ?? (both(sections, clash) === null ? "mine" : "both");
  const settle = () => {
    setChoices({});
    void saver.resolve(
      chosen(merged, clashes, (clash) => answerOf(sections, clash, choiceOf(clash))),
    );
  };
  return (
    <ConflictAlert
      mb="md"
      title={`${plural(clashes.length, "answer")} also changed in another window`}
      hint="Choose which version to keep. Changes are not saved until then."
      actions={
        <>
          <Button size="xs" onClick={settle}>
            Save selection
          </Button>
          {clashes.length > 1 && (
            <Button size="xs" variant="default" onClick={() => void saver.resolve(merged)}>
              Keep all of this window
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md" mt="sm">
        {clashes.map((clash) => (
          <Radio.Group
            key={clash.key}
            label={questionAt(sections, clash.key)?.label ?? clash.key}
            value={choiceOf(clash)}
            onChange={(choice) => setChoices({ ...choices, [clash.key]: choice })}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt={6} mb={10}>
              <Option value="mine" label="This window" answer={clash.mine} />
              <Option value="theirs" label="Other window" answer={clash.theirs} />
            </SimpleGrid>
            {both(sections, clash) !== null && <Radio value="both" label="Keep both" />}
          </Radio.Group>
        ))}
      </Stack>
    </ConflictAlert>
  );
}

interface OptionProps {
  value: Choice;
  label: string;
  answer: Answer | undefined;
}

function Option({ value, label, answer }: OptionProps) {
  return (
    <Box px="sm" py={10} bg="var(--surface)" bd="1px solid var(--line)" bdrs="md">
      <Radio value={value} label={label} />
      <Box mah="14rem" mt="xs" className="scroll">
        <AnswerText answer={answer} />
      </Box>
    </Box>
  );
}

function both(sections: Section[], clash: Conflict): Answer | null {
  const kind = questionAt(sections, clash.key)?.kind.type;
  return combined(clash, kind !== "text" && kind !== "list");
}

const answerOf = (sections: Section[], clash: Conflict, choice: Choice): Answer =>
  (choice === "both" ? both(sections, clash) : clash[choice]) ?? "";

function chosen(merged: Draft, clashes: Conflict[], choose: (clash: Conflict) => Answer): Draft {
  const answers = { ...merged.answers };
  for (const clash of clashes) answers[clash.key] = choose(clash);
  return { ...merged, answers };
}
