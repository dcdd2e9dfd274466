import { Button, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { OutputText } from "@/components/output-text";
import type { Role } from "@/domain/feed/event";
import { roleName } from "@/domain/role-names";
import type { TranscriptMessage, TranscriptText } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { formatCount, formatDate } from "@/lib/format";
import { useFullMessage } from "./api";
import classes from "./transcripts.module.css";

interface MessageViewProps {
  buildId: string;
  message: TranscriptMessage;
  role: Role;
}

export function MessageView({ buildId, message: shortened, role }: MessageViewProps) {
  const [inFull, setInFull] = useState(false);
  const { run_id, position } = shortened;
  const full = useFullMessage(buildId, run_id, position, inFull);
  const message = full.data ?? shortened;
  const { reasoning, texts, tool_calls, tool_results } = message;
  return (
    <article className={classes.message} data-author={message.author}>
      <header>
        <b>{authorName(message, role)}</b>{" "}
        <time dateTime={message.at}>{formatDate(message.at)}</time>
      </header>
      {reasoning && (
        <Part label="Thinking">
          <Prose text={reasoning} quiet />
        </Part>
      )}
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts have no id and do not change
        <Prose key={index} text={text} />
      ))}
      {tool_calls.map(({ call_id, tool, input }) => (
        <Part key={call_id} label={`Call: ${tool}`}>
          <Output text={input} />
        </Part>
      ))}
      {tool_results.map(({ call_id, output, is_error }) => (
        <Part key={call_id} label={is_error ? "Result: failed" : "Result"}>
          <Output text={output} />
        </Part>
      ))}
      {full.isError && <Text fz="sm">{messageOf(full.error)}</Text>}
      {isCut(message) && (
        <Button
          variant="default"
          size="compact-sm"
          loading={full.isFetching}
          onClick={() => (inFull ? void full.refetch() : setInFull(true))}
        >
          Show full message
        </Button>
      )}
    </article>
  );
}

function authorName({ author, tool_results, texts }: TranscriptMessage, role: Role): string {
  switch (author) {
    case "assistant":
      return roleName(role);
    case "summary":
      return "Summary, sent instead of the messages before";
    default:
      return tool_results.length > 0 && texts.length === 0 ? "Tool" : "Prompt";
  }
}

function isCut({ reasoning, texts, tool_calls, tool_results }: TranscriptMessage): boolean {
  const inputs = tool_calls.map(({ input }) => input);
  const outputs = tool_results.map(({ output }) => output);
  return [...(reasoning ? [reasoning] : []), ...texts, ...inputs, ...outputs].some(
    ({ is_cut }) => is_cut,
  );
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <figure aria-label={label} className={classes.part}>
      <figcaption className={classes.label}>{label}</figcaption>
      {children}
    </figure>
  );
}

function Prose({ text, quiet }: { text: TranscriptText; quiet?: boolean }) {
  return (
    <>
      <div className={classes.prose} data-quiet={quiet || undefined}>
        {text.text}
      </div>
      <CutNote text={text} />
    </>
  );
}

function Output({ text }: { text: TranscriptText }) {
  if (text.text === "") {
    return (
      <Text fz="xs" c="dimmed">
        Empty
      </Text>
    );
  }
  return (
    <>
      <OutputText text={text.text} />
      <CutNote text={text} />
    </>
  );
}

function CutNote({ text: { is_cut, bytes } }: { text: TranscriptText }) {
  if (!is_cut) return null;
  return (
    <Text fz="xs" c="dimmed">
      Shortened; the whole text has {formatCount(bytes)} bytes.
    </Text>
  );
}
