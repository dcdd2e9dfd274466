import classes from "./segments.module.css";

interface SegmentsProps {
  label: string;
  parts: { key: string | number; state: "done" | "current" | "ahead" }[];
}

/** A progress bar of discrete steps, such as the phases of a build. */
export function Segments({ label, parts }: SegmentsProps) {
  return (
    <span className={classes.bar} role="img" aria-label={label}>
      {parts.map((part) => (
        <span key={part.key} className={classes.part} data-state={part.state} />
      ))}
    </span>
  );
}
