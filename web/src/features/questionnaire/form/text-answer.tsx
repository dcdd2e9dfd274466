import { Textarea, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import { type FieldAttributes, inputAttributes } from "./field-attributes";
import { MAX_CHARACTERS } from "./field-limits";

interface TextAnswerProps {
  names: FieldAttributes;
  /** Whether the answer may have several paragraphs. */
  lines: boolean;
  value: string;
  onChange: (answer: string) => void;
}

export function TextAnswer({ names, lines, value, onChange }: TextAnswerProps) {
  const { id, ...attributes } = names;
  const field = {
    id,
    attributes: inputAttributes(attributes),
    maxLength: MAX_CHARACTERS,
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
