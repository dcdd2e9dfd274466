import { useMatches } from "react-router";

/** Whether the page fills the screen instead of scrolling in a column. */
export const useFillsScreen = () =>
  useMatches().some(
    ({ handle }) => (handle as { fillsScreen?: boolean } | undefined)?.fillsScreen === true,
  );
