// Events that a tool call causes are told by the row of that call, where it is in sight.
import type { FeedEvent, Payload } from "@/lib/feed/event";
import type { Row } from "./row";

/** How many rows back the call may stand: others of the same turn run beside it. */
const IN_SIGHT = 8;

type Call = Row & { kind: "tool" };

/** Whether a row took the event in. */
export function tellByCall(rows: Row[], { type, payload }: FeedEvent): boolean {
  const slot = type === "build_contract_read" ? "read" : "change";
  const didIt = slot === "read" ? readContract : changedFile;
  for (let index = rows.length - 1; index >= Math.max(0, rows.length - IN_SIGHT); index--) {
    const row = rows[index];
    if (row?.kind !== "tool" || row[slot] || row.started?.run_id !== payload.run_id) continue;
    if (!didIt(row, payload)) continue;
    rows[index] = { ...row, [slot]: payload };
    return true;
  }
  return false;
}

function changedFile({ started }: Call, { path }: Payload): boolean {
  return (
    /write|edit/.test(started?.tool ?? "") &&
    (started?.input as { path?: string } | undefined)?.path === path
  );
}

function readContract({ started }: Call, { contract }: Payload): boolean {
  const tool = started?.tool ?? "";
  if (tool.endsWith("forge_get_phase_window")) return contract === "phases";
  const asked = (started?.input as { contract_type?: string } | undefined)?.contract_type;
  return /forge_get_(project_)?contract$/.test(tool) && asked === contract;
}
