import { Spoiler, Text, VisuallyHidden } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import type { InterviewMessage } from "@/lib/api";
import { formatDate } from "@/lib/format";
import classes from "./conversation.module.css";

/** Longer messages are collapsed. */
const SHORT = 1_200;

/** A message as plain text: markup is not interpreted. */
export function MessageRow({ message }: { message: InterviewMessage }) {
  const { author, text, created_at } = message;
  const words = (
    <Text span display="block" className="pre-wrap" dir="auto">
      {text}
    </Text>
  );
  return (
    <li className={classes.message} data-author={author} title={formatDate(created_at)}>
      {author === "model" && (
        <span className={classes.mark} aria-hidden>
          <IconSparkles size={16} />
        </span>
      )}
      <div className={classes.bubble}>
        <VisuallyHidden component="span">
          {author === "person" ? "You: " : "Reply: "}
        </VisuallyHidden>
        {text.length > SHORT ? (
          <Spoiler maxHeight={210} showLabel="Show more" hideLabel="Show less">
            {words}
          </Spoiler>
        ) : (
          words
        )}
      </div>
    </li>
  );
}
