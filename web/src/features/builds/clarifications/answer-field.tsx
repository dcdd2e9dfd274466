import { Button, Group, TextInput } from "@mantine/core";
import { type FormEvent, useId } from "react";

interface AnswerFieldProps {
  label: string;
  /** The label of the button. */
  send: string;
  text: string;
  busy: boolean;
  onType: (text: string) => void;
  onSend: (text: string) => void;
}

/** A field for a free-text answer. */
export function AnswerField({ label, send, text, busy, onType, onSend }: AnswerFieldProps) {
  const id = useId();
  function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() !== "") onSend(text.trim());
  }
  return (
    <form onSubmit={submit} aria-labelledby={`${id}-send`}>
      <Group gap="xs" mt="xs">
        <TextInput
          style={{ flex: "1 1 12rem" }}
          aria-label={label}
          placeholder="Type your answer"
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
          disabled={text.trim() === ""}
        >
          {send}
        </Button>
      </Group>
    </form>
  );
}
