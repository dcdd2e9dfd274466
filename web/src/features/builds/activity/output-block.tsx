import { CopyIcon } from "@/components/copy-icon";
import { OutputText } from "@/components/output-text";
import classes from "./activity.module.css";

export function OutputBlock({ label, text }: { label: string; text: string }) {
  if (text === "") return null;
  return (
    <figure className={classes.output}>
      <figcaption>
        {label}
        <CopyIcon value={text} what={label.toLowerCase()} />
      </figcaption>
      <OutputText text={text} />
    </figure>
  );
}
