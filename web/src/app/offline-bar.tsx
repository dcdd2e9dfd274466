import { useNetwork } from "@mantine/hooks";
import classes from "./app-layout.module.css";

export function OfflineBar() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <div className={classes.offline}>
          You are offline. Builds continue, and this page updates when you are back.
        </div>
      )}
    </div>
  );
}
