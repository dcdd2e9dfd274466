import { Text } from "@mantine/core";
import type { Answer } from "@/lib/api";
import classes from "./answer-text.module.css";
import { isEmpty } from "./draft";

/** No window is wider; what comes after it is behind the last line anyway. */
const LONGEST_LINE = 500;

interface AnswerTextProps {
  answer: Answer | undefined;
  /** Lines to show at most. */
  lines?: number;
}

/** An answer as somebody wrote it: whatever looks like code in it is text. */
export function AnswerText({ answer, lines }: AnswerTextProps) {
  if (answer === undefined || isEmpty(answer))
    return (
      <Text fz="sm" c="dimmed">
        No answer
      </Text>
    );
  if (typeof answer === "string")
    return (
      <Text fz="sm" dir="auto" className={classes.text} lineClamp={lines}>
        {lines ? answer.slice(0, lines * LONGEST_LINE) : answer}
      </Text>
    );
  const items = answer.filter((item) => item.trim());
  const shown = lines ? items.slice(0, lines) : items;
  return (
    <ul className={classes.items}>
      {shown.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items may say the same
        <li key={index} dir="auto">
          {lines ? item.slice(0, LONGEST_LINE) : item}
        </li>
      ))}
      {shown.length < items.length && <li>and {items.length - shown.length} more</li>}
    </ul>
  );
}
