import { useIsFetching } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** A page may ask for more as soon as it has its first data. */
const QUIET_MS = 100;
/** On a busy page there is always a request under way. */
const MAX_WAIT_MS = 5_000;

/** Whether the first page has its data. What all pages have besides is loaded after that. */
export function useFirstPageLoaded(): boolean {
  const [loaded, setLoaded] = useState(false);
  const isQuiet = useIsFetching() === 0;
  useEffect(() => {
    if (!isQuiet) return;
    const timer = setTimeout(() => setLoaded(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [isQuiet]);
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return loaded;
}
