import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import { IconCornerDownLeft, IconMessageQuestion } from "@tabler/icons-react";
import type { KeyboardEvent, RefObject } from "react";
import classes from "./command-line.module.css";

interface QuestionLineProps {
  inputRef: RefObject<HTMLInputElement | null>;
  line: string;
  onLine: (line: string) => void;
  disabled: boolean;
  busy: boolean;
  onAsk: (text: string) => void;
}

const MAX_QUESTION_LENGTH = 1_000;

/** A question about the build. Commands are not interpreted. */
export function QuestionLine({ inputRef, line, onLine, disabled, busy, onAsk }: QuestionLineProps) {
  const text = line.trim();
  const isTooLong = line.length > MAX_QUESTION_LENGTH;
  const cannotAsk = disabled || busy || text === "" || isTooLong;
  const ask = () => {
    if (!cannotAsk) onAsk(text);
  };
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  }
  return (
    <div className={classes.bar}>
      <TextInput
        ref={inputRef}
        aria-label="Question about the build"
        autoComplete="off"
        placeholder={disabled ? "Questions are not available" : "Why was it built this way?"}
        disabled={disabled}
        value={line}
        // A longer message is kept for the other recipient.
        error={isTooLong && `Use at most ${MAX_QUESTION_LENGTH} characters.`}
        onChange={(event) => onLine(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        leftSection={<IconMessageQuestion size={16} aria-hidden />}
        rightSection={
          <Tooltip label="Ask (Enter)">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Ask"
              disabled={cannotAsk}
              loading={busy}
              onClick={ask}
            >
              <IconCornerDownLeft size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        }
      />
    </div>
  );
}
