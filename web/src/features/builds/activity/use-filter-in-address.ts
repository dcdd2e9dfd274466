// The filter of the activity in the page's address.
import { useLocation, useNavigate } from "react-router";
import type { Role } from "@/domain/feed/event";
import type { RowGroup } from "./row";
import type { Filter } from "./row-filter";

const NAMES: Record<keyof Filter, string> = {
  kind: "show",
  role: "role",
  phase: "phase",
  text: "q",
};

const KINDS: RowGroup[] = ["agents", "gates", "commits", "errors"];
const ROLES: Role[] = ["scout", "coder", "auditor", "fixer"];

/** The filter, and a function that keeps another one. */
export function useFilterInAddress() {
  const { search, hash, state } = useLocation();
  const navigate = useNavigate();
  const query = new URLSearchParams(search);
  const filter: Filter = {
    kind: KINDS.find((kind) => kind === query.get(NAMES.kind)) ?? null,
    role: ROLES.find((role) => role === query.get(NAMES.role)) ?? null,
    phase: query.get(NAMES.phase),
    text: query.get(NAMES.text)?.toLowerCase() ?? "",
  };
  function keep(filter: Filter) {
    const before = query.toString();
    for (const name of Object.keys(NAMES) as (keyof Filter)[]) {
      const value = filter[name];
      if (value) query.set(NAMES[name], value);
      else query.delete(NAMES[name]);
    }
    if (query.toString() === before) return;
    const to = { search: query.toString(), hash };
    // The event in the address is not visited again.
    const options = { replace: true, preventScrollReset: true };
    void navigate(to, { ...options, state: { ...state, stays: true } });
  }
  return [filter, keep] as const;
}
