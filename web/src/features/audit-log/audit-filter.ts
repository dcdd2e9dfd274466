// The filter of the audit log, in the page's address.
import { useSearchParams } from "react-router";
import type { AuditAction } from "@/lib/api";
import { isKeyOf } from "@/lib/keys-of";
import type { AuditQuery } from "./api";
import { ACTIONS } from "./audit-labels";

export interface AuditFilter {
  action: AuditAction | null;
  /** A user's id. */
  actor: string | null;
  /** A project's id. */
  project: string | null;
  /** Days such as 2026-01-31, in the user's time zone. The last one belongs to the period. */
  from: string | null;
  until: string | null;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ID = /^[0-9a-f-]{36}$/;

export function readFilter(query: URLSearchParams): AuditFilter {
  const given = (name: keyof AuditFilter, form: RegExp) => {
    const value = query.get(name);
    return value && form.test(value) ? value : null;
  };
  const action = query.get("action") ?? "";
  return {
    action: isKeyOf(ACTIONS, action) ? action : null,
    actor: given("actor", ID),
    project: given("project", ID),
    from: given("from", DAY),
    until: given("until", DAY),
  };
}

/** The filter as the server expects it. */
export function queryOf({ action, actor, project, from, until }: AuditFilter): AuditQuery {
  const start = dayStart(from, 0);
  const end = dayStart(until, 1);
  return {
    ...(action && { action }),
    ...(actor && { actor }),
    ...(project && { project }),
    ...(start && { from: start }),
    ...(end && { until: end }),
  };
}

/** The start of the day that is so many days after this one. */
function dayStart(day: string | null, later: number): string | null {
  if (!day) return null;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isNaN(start.getTime()) ? null : start.toISOString();
}

/** The filter, and a function that changes a part of it. */
export function useAuditFilter() {
  const [query, setQuery] = useSearchParams();
  function change(part: Partial<AuditFilter>) {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(part)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setQuery(next, { replace: true, preventScrollReset: true });
  }
  return [readFilter(query), change] as const;
}
