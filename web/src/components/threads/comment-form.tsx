import { Box, Button, Group, SegmentedControl, Text, Textarea } from "@mantine/core";
import { type FormEvent, lazy, type ReactNode, Suspense, useState } from "react";
import { messageOf } from "@/lib/api-error";

const Markdown = lazy(() => import("../markdown"));

const MODES = [
  { value: "write", label: "Write" },
  { value: "preview", label: "Preview" },
];

interface CommentFormProps {
  label: string;
  send: string;
  text: string;
  onChange: (text: string) => void;
  /** Rejects on failure; the text is kept. */
  onSend: (text: string) => Promise<unknown>;
  onClose?: () => void;
  autoFocus?: boolean;
  /** The lines that a suggested edit would replace. */
  suggestFor?: string;
  /** Above the text. */
  top?: ReactNode;
}

/** A comment in Markdown, with a preview. */
export function CommentForm(props: CommentFormProps) {
  const { label, send, text, onChange, onSend, onClose, autoFocus, suggestFor, top } = props;
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [mode, setMode] = useState("write");
  const isOpen = text !== "" || onClose !== undefined;

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() === "") return;
    setSending(true);
    setError(null);
    try {
      await onSend(text);
      onChange("");
      setMode("write");
      onClose?.();
    } catch (problem) {
      setError(problem);
    } finally {
      setSending(false);
    }
  }

  function suggest() {
    const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    onChange(`${before}\`\`\`suggestion\n${suggestFor}\n\`\`\`\n`);
    setMode("write");
  }

  return (
    <form onSubmit={submit}>
      {top}
      {isOpen && (
        <Group gap="xs" mb={6} justify="space-between">
          <SegmentedControl
            aria-label="Comment view"
            size="xs"
            data={MODES}
            value={mode}
            onChange={setMode}
          />
          {suggestFor !== undefined && (
            <Button size="compact-xs" variant="subtle" onClick={suggest}>
              Suggest edit
            </Button>
          )}
        </Group>
      )}
      {mode === "preview" ? (
        <Box component="section" aria-label="Preview" mih={56} style={{ overflowWrap: "anywhere" }}>
          <Suspense fallback={null}>
            <Markdown text={text.trim() === "" ? "*Nothing to preview*" : text} size="sm" />
          </Suspense>
        </Box>
      ) : (
        <Textarea
          aria-label={label}
          placeholder={label}
          size="sm"
          autosize
          minRows={autoFocus ? 2 : 1}
          maxRows={12}
          maxLength={4000}
          value={text}
          autoFocus={autoFocus}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
            if (event.key === "Escape" && onClose && text === "") {
              event.stopPropagation();
              onClose();
            }
          }}
        />
      )}
      {error !== null && (
        <Text role="alert" fz="sm" c="var(--tone-bad-text)" mt={4}>
          Could not send: {messageOf(error)}
        </Text>
      )}
      {isOpen && (
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
