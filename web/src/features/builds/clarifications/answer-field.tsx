import { Button, Group, TextInput } from "@mantine/core";
import { type FormEvent, useId } from "react";

interface AnswerFieldProps {
  label: string;
  /** The label of the button. */
  send: string;
  text: string;
  busy: boolean;
  placeholder?: string;
  /** Whether there is nothing to send; by default if the text is empty. */
  disabled?: boolean;
  onType: (text: string) => void;
  onSend: (text: string) => void;
}

/** A field for a free-text answer. */
export function AnswerField({
  label,
  send,
  text,
  busy,
  placeholder = "Type your answer",
  disabled = text.trim() === "",
  onType,
  onSend,
}: AnswerFieldProps) {
  const id = useId();
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!disabled && !busy) onSend(text.trim());
  }
  return (
    <form onSubmit={submit} aria-labelledby={`${id}-send`}>
      <Group gap="xs" mt="xs">
        <TextInput
          style={{ flex: "1 1 12rem" }}
          aria-label={label}
          placeholder={placeholder}
          autoComplete="off"
          maxLength={1_000}
          value={text}
          onChange={(event) => onType(event.currentTarget.value)}
        />
        <Button
          id={`${id}-send`}
          type="submit"
          variant="default"
          loading={busy}
          disabled={disabled}
        >
          {send}
        </Button>
      </Group>
    </form>
  );
}
