import { Box, Group, Text } from "@mantine/core";
import { memo, type SyntheticEvent, useId, useMemo, useState } from "react";
import { ToneBadge } from "@/components/tone-badge";
import type { Answer, Question } from "@/lib/api";
import { isEmpty } from "../answers/draft";
import { ChoiceAnswer } from "./choice-answer";
import type { FieldAttributes } from "./field-attributes";
import { tooMuch } from "./field-limits";
import { ListAnswer } from "./list-answer";
import { TextAnswer } from "./text-answer";
import { questionAnchor } from "./use-step-focus";

interface QuestionFieldProps {
  /** The answer's key. */
  name: string;
  question: Question;
  value: Answer | undefined;
  error: string | undefined;
  onAnswer: (name: string, answer: Answer) => void;
}

/** A question with help, input, example and error. */
export const QuestionField = memo(function QuestionField(props: QuestionFieldProps) {
  const { name, question, value, onAnswer } = props;
  const { label, help, example, kind, required } = question;
  const isList = kind.type === "list";
  const id = useId();
  const [pasted, setPasted] = useState("");
  const error = pasted || props.error;
  const names = useMemo<FieldAttributes>(
    () => ({
      id,
      "aria-labelledby": `${id}-label`,
      "aria-describedby": `${id}-help ${id}-example${error ? ` ${id}-error` : ""}`,
      "aria-required": required || undefined,
      "aria-invalid": error ? true : undefined,
    }),
    [id, error, required],
  );
  const onChange = (answer: Answer) => {
    setPasted("");
    onAnswer(name, answer);
  };
  const refuseTooMuch = (event: SyntheticEvent, data: DataTransfer) => {
    const fault = tooMuch(data.getData("text/plain"), isList);
    setPasted(fault);
    if (!fault) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const text = typeof value === "string" ? value : "";
  return (
    <div style={{ scrollMarginTop: "9rem" }} id={questionAnchor(question.id)}>
      <Group gap="0.25rem 0.625rem" mih={24}>
        {isList || kind.type === "choice" ? (
          <Text span inherit fz={15} fw={600} id={names["aria-labelledby"]}>
            {label}
          </Text>
        ) : (
          <Box component="label" fz={15} fw={600} id={names["aria-labelledby"]} htmlFor={id}>
            {label}
          </Box>
        )}
        {required && isEmpty(value) && <ToneBadge tone="accent">Required</ToneBadge>}
      </Group>
      <Text fz="sm" c="dimmed" id={`${id}-help`}>
        {help}
      </Text>
      <Box
        mt={10}
        onPasteCapture={(event) => refuseTooMuch(event, event.clipboardData)}
        onDropCapture={(event) => refuseTooMuch(event, event.dataTransfer)}
      >
        {isList ? (
          <ListAnswer
            names={names}
            what={label}
            value={Array.isArray(value) ? value : []}
            onChange={onChange}
          />
        ) : kind.type === "choice" ? (
          <ChoiceAnswer names={names} options={kind.options} value={text} onChange={onChange} />
        ) : (
          <TextAnswer names={names} lines={kind.type === "text"} value={text} onChange={onChange} />
        )}
      </Box>
      <Text
        fz="sm"
        c="var(--mantine-color-error)"
        id={`${id}-error`}
        mt={error ? 6 : 0}
        role={pasted ? "alert" : undefined}
      >
        {error}
      </Text>
      <Text fz="xs" c="dimmed" id={`${id}-example`} mt={8}>
        <Box component="span" mr={4} fw={600}>
          Example
        </Box>{" "}
        {example}
      </Text>
    </div>
  );
});
