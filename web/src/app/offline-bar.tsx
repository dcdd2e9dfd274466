import { useNetwork } from "@mantine/hooks";
import classes from "./app-layout.module.css";

export function OfflineBar() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <div className={classes.offline}>
          You are offline. Builds go on; this page catches up later.
        </div>
      )}
    </div>
  );
}
