import { Loader } from "@mantine/core";
import classes from "./reconnecting.module.css";

/** Shown while the connection is lost. */
export function Reconnecting({ lost }: { lost: boolean }) {
  return (
    <div role="status">
      {lost && (
        <div className={classes.bar}>
          <Loader size={12} color="currentColor" aria-hidden />
          Reconnecting… Missed activity is loaded once the connection is back.
        </div>
      )}
    </div>
  );
}
