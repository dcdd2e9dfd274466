import { Stack, Text } from "@mantine/core";
import type { Answer } from "@/lib/api";
import { isEmpty } from "./draft";

/** Longer text is cut by the line limit on any screen. */
const MAX_LINE_LENGTH = 500;

interface AnswerTextProps {
  answer: Answer | undefined;
  /** The maximum number of lines. */
  lines?: number;
}

/** An answer as plain text: markup is not interpreted. */
export function AnswerText({ answer, lines }: AnswerTextProps) {
  if (answer === undefined || isEmpty(answer))
    return (
      <Text fz="sm" c="dimmed">
        No answer
      </Text>
    );
  if (typeof answer === "string")
    return (
      <Text fz="sm" dir="auto" className="pre-wrap" lineClamp={lines}>
        {lines ? answer.slice(0, lines * MAX_LINE_LENGTH) : answer}
      </Text>
    );
  const items = answer.filter((item) => item.trim());
  const shown = lines ? items.slice(0, lines) : items;
  return (
    <Stack component="ul" gap={4} m={0} ps={18} fz="sm" lh="sm">
      {shown.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items may say the same
        <li key={index} dir="auto">
          {lines ? item.slice(0, MAX_LINE_LENGTH) : item}
        </li>
      ))}
      {shown.length < items.length && <li>and {items.length - shown.length} more</li>}
    </Stack>
  );
}
