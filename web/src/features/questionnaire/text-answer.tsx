import { Textarea, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import { type FieldNames, inputAttributes } from "./field-names";
import { MOST_CHARACTERS } from "./most-text";

interface TextAnswerProps {
  names: FieldNames;
  /** Whether there is room for paragraphs. */
  lines: boolean;
  value: string;
  onChange: (answer: string) => void;
}

export function TextAnswer({ names, lines, value, onChange }: TextAnswerProps) {
  const { id, ...attributes } = names;
  const field = {
    id,
    attributes: inputAttributes(attributes),
    maxLength: MOST_CHARACTERS,
    error: names["aria-invalid"],
    value,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange(event.currentTarget.value),
  };
  return lines ? (
    <Textarea {...field} autosize minRows={3} maxRows={18} />
  ) : (
    <TextInput {...field} />
  );
}
