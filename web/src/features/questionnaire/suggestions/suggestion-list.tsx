import { Box, Button, Checkbox, Code, Fieldset, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { DialogActions } from "@/components/dialog-actions";
import type { SuggestedAnswer } from "@/lib/api";
import { plural } from "@/lib/format";
import { AnswerText } from "../answers/answer-text";
import type { Offer } from "./offers";

interface SuggestionListProps {
  offers: Offer[];
  onAccept: (accepted: SuggestedAnswer[]) => void;
  onCancel: () => void;
}

/** Suggestions by question. Those for unanswered questions are selected at first. */
export function SuggestionList({ offers, onAccept, onCancel }: SuggestionListProps) {
  /** The user's choices. Without one, it depends on whether the question is answered by now. */
  const [choices, setChoices] = useState<ReadonlyMap<SuggestedAnswer, boolean>>(new Map());
  const all = offers.flatMap(({ suggestions }) => suggestions);
  const selected = offers.flatMap(({ current, suggestions }) =>
    suggestions.filter((it) => choices.get(it) ?? current === undefined),
  );
  const choose = (suggestions: SuggestedAnswer[], isSelected: boolean) =>
    setChoices(
      new Map([
        ...choices,
        ...suggestions.map((it): [SuggestedAnswer, boolean] => [it, isSelected]),
      ]),
    );
  return (
    <>
      <Checkbox
        mt="md"
        label="Select all"
        checked={selected.length === all.length}
        indeterminate={selected.length > 0 && selected.length < all.length}
        onChange={(event) => choose(all, event.currentTarget.checked)}
      />
      <Stack gap="sm" mt="sm">
        {offers.map((offer) => (
          <OfferFields key={offer.key} offer={offer} selected={selected} onChoose={choose} />
        ))}
      </Stack>
      <DialogActions onCancel={onCancel}>
        <Button disabled={selected.length === 0} onClick={() => onAccept(selected)}>
          {selected.length === 0
            ? "Add suggestions"
            : `Add ${plural(selected.length, "suggestion")}`}
        </Button>
      </DialogActions>
    </>
  );
}

interface OfferFieldsProps {
  offer: Offer;
  selected: SuggestedAnswer[];
  onChoose: (suggestions: SuggestedAnswer[], isSelected: boolean) => void;
}

function OfferFields({ offer, selected, onChoose }: OfferFieldsProps) {
  const { question, current, suggestions } = offer;
  return (
    <Fieldset legend={question.label} p="sm">
      {current !== undefined && (
        <Box mb="sm">
          <Text fz="xs" c="dimmed">
            {question.kind.type === "list"
              ? "Your answer, which is kept:"
              : "Your answer, which the suggestion would replace:"}
          </Text>
          <AnswerText answer={current} lines={4} />
        </Box>
      )}
      <Stack gap="sm">
        {suggestions.map((suggestion) => (
          <Checkbox
            key={suggestion.answer}
            styles={{ body: { alignItems: "flex-start" }, labelWrapper: { minWidth: 0 } }}
            label={<AnswerLabel text={suggestion.answer} />}
            description={<Source suggestion={suggestion} />}
            checked={selected.includes(suggestion)}
            onChange={(event) => onChoose([suggestion], event.currentTarget.checked)}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

function AnswerLabel({ text }: { text: string }) {
  return (
    <Text span inherit dir="auto" className="pre-wrap">
      {text}
    </Text>
  );
}

function Source({ suggestion: { path, line, excerpt } }: { suggestion: SuggestedAnswer }) {
  return (
    <>
      <Code className="pre-wrap">
        {path}:{line}
      </Code>{" "}
      <Text span inherit className="pre-wrap">
        {excerpt}
      </Text>
    </>
  );
}
