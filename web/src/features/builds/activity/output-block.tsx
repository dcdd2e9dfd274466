import { CopyIcon } from "@/components/copy-icon";
import classes from "./activity.module.css";

export function OutputBlock({ label, text }: { label: string; text: string }) {
  if (text === "") return null;
  return (
    <figure className={classes.output}>
      <figcaption>
        {label}
        <CopyIcon value={text} what={label.toLowerCase()} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
