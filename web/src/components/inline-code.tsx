import classes from "./inline-code.module.css";

/** Plain text with `code` between backticks. */
export function InlineCode({ text }: { text: string }) {
  const parts = text.split(/`([^`\n]+)`/);
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text never move
      <code key={index} className={classes.code}>
        {part}
      </code>
    ) : (
      part
    ),
  );
}
