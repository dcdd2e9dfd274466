import classes from "./change-counts.module.css";

/** Added and removed lines; zero is omitted. */
export function ChangeCounts({ insertions = 0, deletions = 0 }) {
  if (insertions === 0 && deletions === 0) return null;
  return (
    <span className={`tabular ${classes.counts}`}>
      {insertions > 0 && <ins>+{insertions}</ins>}
      {insertions > 0 && deletions > 0 && " "}
      {deletions > 0 && <del>−{deletions}</del>}
    </span>
  );
}
