// The file, line and commit in the page's address.
import { useSearchParams } from "react-router";
import { copyLink } from "@/lib/copy-link";

export interface DiffLocation {
  /** Null means all changes since the baseline. */
  commit: string | null;
  file: string | null;
  /** `R12` is a line of the new file, `L7` of the old one. */
  line?: string | null;
}

const NAMES = ["commit", "file", "line"] as const;

/** The location, and functions to change it or copy its link. */
export function useDiffLocation() {
  const [query, setQuery] = useSearchParams();
  const place: DiffLocation = {
    commit: query.get("commit"),
    file: query.get("file"),
    line: query.get("line"),
  };

  const queryOf = (to: DiffLocation) => {
    const next = new URLSearchParams(query);
    for (const name of NAMES) {
      const value = to[name];
      if (value) next.set(name, value);
      else next.delete(name);
    }
    return next;
  };
  const go = (to: DiffLocation) =>
    setQuery(queryOf(to), { replace: true, preventScrollReset: true });
  const link = (to: DiffLocation) => {
    go(to);
    void copyLink(`${location.pathname}?${queryOf(to)}`);
  };
  return [place, go, link] as const;
}
