import { Alert, Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Answer, Section } from "@/lib/api";
import { plural } from "@/lib/format";
import { AnswerText } from "./answer-text";
import classes from "./answers-conflict.module.css";
import { type Draft, draftOf, questionAt } from "./draft";
import { type Clash, joined, mergeDrafts } from "./merge";
import type { AnswersForm } from "./use-answers";

type Choice = "mine" | "theirs" | "both";

/** Answers that two windows changed: both texts, until somebody has chosen. */
export function AnswersConflict({ form }: { form: AnswersForm }) {
  const { saver, state } = form;
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  if (!state.theirs) return null;
  const { sections } = state.saved;
  const theirs = draftOf(state.theirs);
  const { merged, clashes } = mergeDrafts(draftOf(state.saved), state.draft, theirs);
  const choiceOf = (clash: Clash) =>
    choices[clash.key] ?? (both(sections, clash) === null ? "mine" : "both");
  const settle = () => {
    setChoices({});
    void saver.settle(
      chosen(merged, clashes, (clash) => answerOf(sections, clash, choiceOf(clash))),
    );
  };
  return (
    <Alert
      color="yellow"
      mb="md"
      role="alert"
      title={`Another window changed ${plural(clashes.length, "answer")} too`}
    >
      <Text fz="sm">Choose what to keep. Until then both are safe, and nothing is saved.</Text>
      <Stack gap="md" mt="sm">
        {clashes.map((clash) => (
          <Radio.Group
            key={clash.key}
            label={questionAt(sections, clash.key)?.label ?? clash.key}
            value={choiceOf(clash)}
            onChange={(choice) => setChoices({ ...choices, [clash.key]: choice as Choice })}
          >
            <div className={classes.options}>
              <Option value="mine" label="This window" answer={clash.mine} />
              <Option value="theirs" label="The other window" answer={clash.theirs} />
            </div>
            {both(sections, clash) !== null && (
              <Radio value="both" label="Both, one below the other" />
            )}
          </Radio.Group>
        ))}
      </Stack>
      <Group gap="xs" mt="md">
        <Button size="xs" onClick={settle}>
          Save this
        </Button>
        {clashes.length > 1 && (
          <Button size="xs" variant="default" onClick={() => void saver.settle(merged)}>
            Keep all of this window
          </Button>
        )}
      </Group>
    </Alert>
  );
}

interface OptionProps {
  value: Choice;
  label: string;
  answer: Answer | undefined;
}

function Option({ value, label, answer }: OptionProps) {
  return (
    <div className={classes.option}>
      <Radio value={value} label={label} />
      <div className={classes.answer}>
        <AnswerText answer={answer} />
      </div>
    </div>
  );
}

function both(sections: Section[], clash: Clash): Answer | null {
  const kind = questionAt(sections, clash.key)?.kind.type;
  return joined(clash, kind !== "text" && kind !== "list");
}

const answerOf = (sections: Section[], clash: Clash, choice: Choice): Answer =>
  (choice === "both" ? both(sections, clash) : clash[choice]) ?? "";

function chosen(merged: Draft, clashes: Clash[], choose: (clash: Clash) => Answer): Draft {
  const answers = { ...merged.answers };
  for (const clash of clashes) answers[clash.key] = choose(clash);
  return { ...merged, answers };
}
