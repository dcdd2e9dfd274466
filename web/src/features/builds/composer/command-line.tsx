import { ActionIcon, Button, Group, TextInput, Tooltip } from "@mantine/core";
import { IconChevronRight, IconCornerDownLeft } from "@tabler/icons-react";
import {
  type Dispatch,
  type KeyboardEvent,
  type RefObject,
  type SetStateAction,
  useId,
  useRef,
  useState,
} from "react";
import classes from "./command-line.module.css";
import { type ParsedLine, parseLine, suggestions } from "./parse-command";
import { SuggestionList } from "./suggestion-list";

interface CommandLineProps {
  inputRef?: RefObject<HTMLInputElement | null>;
  line: string;
  onLine: Dispatch<SetStateAction<string>>;
  /** The id of the open question, which plain text answers. */
  question: string | null;
  busy?: boolean;
  /** `answers` is the question that the line was written for. Returns false to keep the line. */
  onSubmit: (
    line: Exclude<ParsedLine, { kind: "empty" }>,
    answers: string | null,
  ) => Promise<boolean>;
}

export function CommandLine({
  inputRef,
  line,
  onLine,
  question,
  busy,
  onSubmit,
}: CommandLineProps) {
  const listId = useId();
  const ownRef = useRef<HTMLInputElement>(null);
  const input = inputRef ?? ownRef;
  /**
   * The question that was open when typing started: a later one is not answered by this line, nor is
   * any by a line that was written elsewhere.
   */
  const [begunFor, setBegunFor] = useState(line === "" ? question : null);
  const [chosen, setChosen] = useState(0);
  const [hidden, setHidden] = useState(false);
  const matches = hidden ? [] : suggestions(line);
  const open = matches.length > 0;
  const current = matches[Math.min(chosen, matches.length - 1)];

  const isOutdated = line !== "" && begunFor !== question;
  const answers = isOutdated ? null : question;
  const asking = answers !== null;

  const change = (text: string) => {
    if (line === "") setBegunFor(question);
    onLine(text);
    setChosen(0);
    setHidden(false);
  };
  const complete = (name: string) =>
    change(name === "interject" || name === "cancel" ? `/${name} ` : `/${name}`);

  async function submit(text = line) {
    const parsed = parseLine(text);
    if (parsed.kind === "empty") return;
    // The field is cleared before sending, so that the line is not sent twice and typing can continue.
    change("");
    if (!(await onSubmit(parsed, answers))) onLine((now) => now || text);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setChosen((chosen + step + matches.length) % matches.length);
    } else if (open && current && event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      complete(current.name);
    } else if (open && event.key === "Escape") {
      event.stopPropagation();
      setHidden(true);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const whole = current && line === `/${current.name}`;
      if (open && current && !whole && (current.name === "interject" || current.name === "cancel"))
        complete(current.name);
      else void submit(open && current ? `/${current.name}` : line);
    }
  }

  const placeholder = asking
    ? "Write an answer or choose one above…"
    : "Message the agents, or type / for commands";
  return (
    <div className={classes.bar} data-asking={asking || undefined}>
      {open && (
        <SuggestionList id={listId} matches={matches} chosen={current?.name} onChoose={complete} />
      )}
      {isOutdated && question !== null && (
        <Group gap="0.25rem 0.75rem" pb={8} fz="sm" role="status">
          <span>A question arrived while you were typing. Enter sends this as a message.</span>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              setBegunFor(question);
              input.current?.focus();
            }}
          >
            Send as answer
          </Button>
        </Group>
      )}
      <TextInput
        ref={input}
        className={classes.input}
        aria-label={asking ? "Your answer" : "Message or command"}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        aria-activedescendant={open && current ? `${listId}-${current.name}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        data-mantine-stop-propagation={open || undefined}
        placeholder={placeholder}
        maxLength={asking ? 1000 : 4000}
        value={line}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setHidden(true)}
        leftSection={<IconChevronRight size={16} aria-hidden />}
        rightSection={
          <Tooltip label={asking ? "Answer (Enter)" : "Send (Enter)"}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={asking ? "Answer" : "Send"}
              disabled={line.trim() === ""}
              loading={busy}
              onClick={() => void submit()}
            >
              <IconCornerDownLeft size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        }
      />
    </div>
  );
}
