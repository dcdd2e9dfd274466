import classes from "./change-counts.module.css";

/** Lines that came and went; what is nought is not said. */
export function ChangeCounts({ insertions = 0, deletions = 0 }) {
  if (insertions === 0 && deletions === 0) return null;
  return (
    <span className={classes.counts}>
      {insertions > 0 && <ins>+{insertions}</ins>}
      {insertions > 0 && deletions > 0 && " "}
      {deletions > 0 && <del>−{deletions}</del>}
    </span>
  );
}
