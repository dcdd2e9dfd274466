import { useNavigation } from "react-router";
import classes from "./navigation-progress.module.css";

/** A bar at the top of the window while a page is being loaded. Appears only if that takes a moment. */
export function NavigationProgress() {
  const { state } = useNavigation();
  if (state === "idle") return null;
  return <div className={classes.bar} role="progressbar" aria-label="Loading page" />;
}
