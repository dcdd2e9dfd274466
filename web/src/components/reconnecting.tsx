import { Loader } from "@mantine/core";
import classes from "./reconnecting.module.css";

/** A quiet bar for as long as the connection is away. */
export function Reconnecting({ lost }: { lost: boolean }) {
  return (
    <div role="status">
      {lost && (
        <div className={classes.bar}>
          <Loader size={12} color="currentColor" aria-hidden />
          Reconnecting… Nothing is lost; what you missed follows.
        </div>
      )}
    </div>
  );
}
