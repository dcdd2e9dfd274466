import classes from "./output-text.module.css";

/** Output of a command, which scrolls if it is long. */
export function OutputText({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard
    <pre className={classes.output} tabIndex={0}>
      {text}
    </pre>
  );
}
