import { Spoiler } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import type { InterviewMessage } from "@/lib/api";
import { formatDate } from "@/lib/format";
import classes from "./conversation.module.css";

/** Longer ones are folded. */
const SHORT = 1_200;

/** One message: whatever looks like code in it is text. */
export function MessageRow({ message }: { message: InterviewMessage }) {
  const { author, text, created_at } = message;
  const words = (
    <span className={classes.words} dir="auto">
      {text}
    </span>
  );
  return (
    <li className={classes.message} data-author={author} title={formatDate(created_at)}>
      {author === "model" && (
        <span className={classes.mark} aria-hidden>
          <IconSparkles size={16} />
        </span>
      )}
      <div className={classes.bubble}>
        <span className="visually-hidden">{author === "person" ? "You: " : "Answer: "}</span>
        {text.length > SHORT ? (
          <Spoiler maxHeight={210} showLabel="Show all of it" hideLabel="Show less">
            {words}
          </Spoiler>
        ) : (
          words
        )}
      </div>
    </li>
  );
}
