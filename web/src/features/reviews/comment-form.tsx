import { Button, Group, Text, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { messageOf } from "@/lib/api-error";

interface CommentFormProps {
  label: string;
  send: string;
  /** Rejects on failure; the text is kept. */
  onSend: (text: string) => Promise<unknown>;
  onClose?: () => void;
  autoFocus?: boolean;
}

export function CommentForm({ label, send, onSend, onClose, autoFocus }: CommentFormProps) {
  const [text, setText] = useState("");
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() === "") return;
    setSending(true);
    setError(null);
    try {
      await onSend(text);
      setText("");
      onClose?.();
    } catch (problem) {
      setError(problem);
    } finally {
      setSending(false);
    }
  }

  return (
    <form onSubmit={submit}>
      <Textarea
        aria-label={label}
        placeholder={label}
        size="sm"
        autosize
        minRows={autoFocus ? 2 : 1}
        maxRows={10}
        maxLength={4000}
        value={text}
        autoFocus={autoFocus}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
          if (event.key === "Escape" && onClose) {
            event.stopPropagation();
            onClose();
          }
        }}
      />
      {error !== null && (
        <Text role="alert" fz="sm" c="var(--tone-bad-text)" mt={4}>
          Could not send: {messageOf(error)}
        </Text>
      )}
      {(text !== "" || onClose) && (
        <Group gap="xs" mt={6}>
          <Button type="submit" size="xs" loading={sending} disabled={text.trim() === ""}>
            {send}
          </Button>
          {onClose && (
            <Button size="xs" variant="default" onClick={onClose}>
              Discard
            </Button>
          )}
        </Group>
      )}
    </form>
  );
}
