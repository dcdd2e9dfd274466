// The labels of rollups: `Read 5 files, edited 3 files, ran 2 commands`.
import { capitalized, plural } from "@/lib/format";
import type { Rollup } from "./rollups";
import type { Row } from "./row";
import { toolLabel } from "./tool-labels";

interface Kind {
  verb: string;
  one: string;
  /** Counts each subject once, however many calls it had. */
  distinct?: boolean;
}

const read: Kind = { verb: "read", one: "file", distinct: true };
const edited: Kind = { verb: "edited", one: "file", distinct: true };
const ran: Kind = { verb: "ran", one: "command" };
const contracts: Kind = { verb: "read", one: "contract", distinct: true };
const other: Kind = { verb: "made", one: "tool call" };
const internal: Kind = { verb: "", one: "engine event" };

const KINDS: Record<string, Kind> = {
  read_file: read,
  list_directory: { verb: "listed", one: "folder", distinct: true },
  search_code: { verb: "searched the code", one: "time" },
  write_file: edited,
  edit_file: edited,
  move_file: { verb: "moved", one: "file" },
  delete_file: { verb: "deleted", one: "file", distinct: true },
  check_syntax: { verb: "checked the syntax of", one: "file", distinct: true },
  run_tests: { verb: "ran the tests", one: "time" },
  run_command: ran,
  forge_get_contract: contracts,
  forge_get_project_contract: contracts,
  forge_get_phase_brief: contracts,
  forge_get_phase_window: contracts,
};

const toolOf = ({ started, finished }: Row & { kind: "tool" }) =>
  started?.tool ?? finished?.tool ?? "";

const subjectOf = (row: Row): string =>
  row.kind === "tool" ? toolLabel(toolOf(row), row.started?.input).subject : "";

const kindOf = (row: Row): Kind => (row.kind === "tool" ? (KINDS[toolOf(row)] ?? other) : internal);

/** What a rollup did, in the order in which it began. */
export function rollupTitle({ rows }: Rollup): string {
  const subjects = new Map<Kind, string[]>();
  for (const row of rows) {
    const kind = kindOf(row);
    subjects.set(kind, [...(subjects.get(kind) ?? []), subjectOf(row)]);
  }
  // Internal events are mentioned only where there is nothing else.
  if (subjects.size > 1) subjects.delete(internal);
  const parts = [...subjects].map(([kind, each]) => countOf(kind, each));
  return capitalized(parts.join(", "));
}

function countOf({ verb, one, distinct }: Kind, subjects: string[]): string {
  const count = distinct ? new Set(subjects).size : subjects.length;
  // `Ran the tests` instead of `ran the tests 1 time`.
  if (one === "time") return count === 1 ? verb : `${verb} ${plural(count, one)}`;
  return `${verb} ${plural(count, one)}`.trimStart();
}

/** What is shown beside the title. */
export function rollupFacts({ rows }: Rollup) {
  let insertions = 0;
  let deletions = 0;
  let failed = 0;
  let lastFailed = false;
  let running = false;
  for (const row of rows) {
    if (row.kind !== "tool") continue;
    insertions += row.change?.insertions ?? 0;
    deletions += row.change?.deletions ?? 0;
    if (!row.finished) running = true;
    lastFailed = row.finished?.ok === false;
    if (lastFailed) failed++;
  }
  return { insertions, deletions, failed, lastFailed, running };
}

/** The newest call, as `Read src/a.js`. */
export function newestCall({ rows }: Rollup): { verb: string; subject: string } | null {
  const call = rows.findLast((row) => row.kind === "tool");
  if (call?.kind !== "tool") return null;
  const { verb, subject } = toolLabel(toolOf(call), call.started?.input);
  return { verb, subject };
}

/** The displayed text, without its time. */
export function rollupText(rollup: Rollup): string {
  const { insertions, deletions, failed } = rollupFacts(rollup);
  return [
    rollupTitle(rollup),
    insertions > 0 && `+${insertions}`,
    deletions > 0 && `−${deletions}`,
    failed > 0 && `${failed} failed`,
  ]
    .filter(Boolean)
    .join(" ")
    .toLowerCase();
}
