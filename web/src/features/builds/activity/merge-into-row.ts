// Merges an event into the row of the tool call or commit that caused it, if that is recent.
import type { FeedEvent, Payload } from "@/domain/feed/event";
import type { Row } from "./row";

/** How many rows back the cause is searched: calls of the same turn run in parallel. */
const MAX_ROWS_BACK = 8;

type Call = Row & { kind: "tool" };

/** Whether the event was merged into the row of a call. */
export function mergeIntoCall(rows: Row[], { type, payload }: FeedEvent): boolean {
  const slot = type === "build_contract_read" ? "read" : "change";
  const didIt = slot === "read" ? readContract : changedFile;
  for (let index = rows.length - 1; index >= Math.max(0, rows.length - MAX_ROWS_BACK); index--) {
    const row = rows[index];
    if (row?.kind !== "tool" || row.started?.run_id !== payload.run_id) continue;
    // A brief reads several contracts; its row shows the first, which is the phases contract.
    if (slot === "read" && row.read && isBrief(row)) return true;
    if (row[slot] || !didIt(row, payload)) continue;
    rows[index] = { ...row, [slot]: payload };
    return true;
  }
  return false;
}

/** Whether the event was merged into the row of a commit. */
export function mergeIntoCommit(rows: Row[], { payload }: FeedEvent): boolean {
  for (let index = rows.length - 1; index >= Math.max(0, rows.length - MAX_ROWS_BACK); index--) {
    const row = rows[index];
    if (row?.kind !== "commit" || row.payload.sha !== payload.sha) continue;
    rows[index] = { ...row, pushed: true };
    return true;
  }
  return false;
}

/** A call that asks the user: the question has its own row. */
export const isAsking = (row: Row) =>
  row.kind === "tool" &&
  /forge_ask_clarification$/.test(row.started?.tool ?? row.finished?.tool ?? "") &&
  row.finished?.ok !== false;

function changedFile({ started }: Call, { path }: Payload): boolean {
  return (
    /write|edit|delete/.test(started?.tool ?? "") &&
    (started?.input as { path?: string } | undefined)?.path === path
  );
}

const isBrief = (call: Call) => (call.started?.tool ?? "").endsWith("forge_get_phase_brief");

function readContract(call: Call, { contract }: Payload): boolean {
  const { started } = call;
  const tool = started?.tool ?? "";
  if (isBrief(call)) return true;
  if (tool.endsWith("forge_get_phase_window")) return contract === "phases";
  const asked = (started?.input as { contract_type?: string } | undefined)?.contract_type;
  return /forge_get_(project_)?contract$/.test(tool) && asked === contract;
}
