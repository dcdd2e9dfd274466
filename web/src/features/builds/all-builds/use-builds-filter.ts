// The filter of the list of all builds, in the page's address.
import { useSearchParams } from "react-router";
import type { BuildsFilter } from "./api";
import { GROUPS } from "./group-labels";

export function useBuildsFilter() {
  const [query, setQuery] = useSearchParams();
  const filter: BuildsFilter = {
    group: GROUPS.find((group) => group === query.get("group")) ?? null,
    project: query.get("project"),
  };
  function change(part: Partial<BuildsFilter>) {
    const entries = Object.entries({ ...filter, ...part });
    const chosen = Object.fromEntries(
      entries.flatMap(([name, value]) => (value ? [[name, value]] : [])),
    );
    setQuery(chosen, { replace: true, preventScrollReset: true });
  }
  return [filter, change] as const;
}
