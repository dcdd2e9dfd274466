// Which file and line of which commit the page's address points to.
import { useSearchParams } from "react-router";
import { copyLink } from "@/lib/copy-link";

export interface Place {
  /** Null is everything since the baseline. */
  commit: string | null;
  file: string | null;
  /** `R12` is a line of the new file, `L7` one of the old file. */
  line?: string | null;
}

const NAMES = ["commit", "file", "line"] as const;

/** The place, how to go elsewhere, and how to go there and copy the link. */
export function usePlace() {
  const [query, setQuery] = useSearchParams();
  const place: Place = {
    commit: query.get("commit"),
    file: query.get("file"),
    line: query.get("line"),
  };

  const queryOf = (to: Place) => {
    const next = new URLSearchParams(query);
    for (const name of NAMES) {
      const value = to[name];
      if (value) next.set(name, value);
      else next.delete(name);
    }
    return next;
  };
  const go = (to: Place) => setQuery(queryOf(to), { replace: true, preventScrollReset: true });
  const link = (to: Place) => {
    go(to);
    void copyLink(`${location.pathname}?${queryOf(to)}`);
  };
  return [place, go, link] as const;
}
