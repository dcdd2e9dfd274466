import { describe, expect, it } from "vitest";
import type { FeedEvent } from "@/domain/feed/event";
import { event } from "@/testing/events";
import { createRowGrouper, groupRows } from "./group-rows";
import { listItems } from "./listed-items";
import { rollupText, rollupTitle } from "./rollup-labels";
import { createRollups, type Item, type Rollup, rollUp, rowsOf } from "./rollups";
import { type Filter, NO_FILTER } from "./row-filter";

const run = { run_id: "r", role: "coder" as const };

/** The two events of a call. */
const call = (seq: number, tool: string, input: object, rest: object = {}): FeedEvent[] => [
  event(seq, "build_tool_call_started", { ...run, call_id: `c${seq}`, tool, input }),
  event(seq + 1, "build_tool_call_finished", {
    ...run,
    call_id: `c${seq}`,
    tool,
    ok: true,
    ...rest,
  }),
];

const itemsOf = (events: FeedEvent[]) => rollUp(groupRows(events));
const onlyRollup = (events: FeedEvent[]) => {
  const rollup = itemsOf(events).find(({ kind }) => kind === "rollup");
  return rollup as Rollup;
};

describe("a rollup", () => {
  it("says what consecutive calls did", () => {
    const events = [
      ...call(1, "read_file", { path: "a.js" }),
      ...call(3, "read_file", { path: "b.js" }),
      ...call(5, "read_file", { path: "a.js" }),
      ...call(7, "edit_file", { path: "a.js" }),
      event(9, "build_file_changed", { ...run, path: "a.js", insertions: 4, deletions: 1 }),
      ...call(10, "search_code", { pattern: "x" }),
      ...call(12, "run_command", { command: "ls" }, { ok: false }),
      ...call(14, "run_tests", {}),
      ...call(16, "run_tests", {}),
    ];
    const rollup = onlyRollup(events);
    expect(rollupTitle(rollup)).toBe(
      "Read 2 files, edited 1 file, searched the code, ran 1 command, ran the tests 2 times",
    );
    expect(rollupText(rollup)).toContain("+4 −1 1 failed");
  });

  it("ends where an agent says something, a phase begins, or a task is done", () => {
    const items = itemsOf([
      ...call(1, "read_file", { path: "a.js" }),
      ...call(3, "read_file", { path: "b.js" }),
      event(5, "build_agent_turn", { ...run, text: "Now I know." }),
      ...call(6, "edit_file", { path: "a.js" }),
      event(8, "build_task_done", { task: 1 }),
      ...call(9, "edit_file", { path: "a.js" }),
      ...call(11, "edit_file", { path: "b.js" }),
    ]);
    expect(items.map(({ kind }) => kind)).toEqual(["rollup", "turn", "tool", "note", "rollup"]);
  });

  it("collapses what the engine records, but no warnings", () => {
    const items = itemsOf([
      event(1, "build_mode_switched", { mode: "plan" }),
      event(2, "build_context_compacted", { before: 9, after: 3 }),
      event(3, "build_log", { message: "An API key is missing", level: "warning" }),
      event(4, "build_tests_compared"),
    ]);
    expect(items.map(({ kind }) => kind)).toEqual(["rollup", "note", "note"]);
    expect(rollupTitle(items[0] as Rollup)).toBe("2 engine events");
  });

  it("does not depend on which earlier events are loaded", () => {
    const events = Array.from({ length: 400 }, (_, n) =>
      call(2 * n + 1, "read_file", { path: `${n}.js` }),
    ).flat();
    const keys = (items: Item[]) => items.slice(1).map(({ key }) => key);
    const whole = itemsOf(events);
    const part = itemsOf(events.slice(100));
    expect(whole).toHaveLength(4);
    expect(keys(part)).toEqual(keys(whole));
  });
});

/** Journals with all kinds of events in random order; the same for each seed. */
function journal(seed: number, length: number): FeedEvent[] {
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const open: string[] = [];
  const tools = ["read_file", "edit_file", "run_command", "forge_ask_clarification"];
  return Array.from({ length }, (_, index) => {
    const seq = index + 1;
    const input = { path: `${random(5)}.js` };
    const tool = tools[random(tools.length)] ?? "";
    switch (random(9)) {
      case 0:
        return event(seq, "build_phase_started", { phase: random(4) });
      case 1:
        return event(seq, "build_agent_turn", { ...run, text: random(2) ? "Hm." : "" });
      case 2:
        return event(seq, "build_file_changed", { ...run, ...input, insertions: random(9) });
      case 3:
        return event(seq, "build_mode_switched", { mode: "plan" });
      case 4:
        return event(seq, random(2) ? "build_gate_started" : "build_gate_finished", { gate: "t" });
      case 5:
      case 6: {
        const call_id = open.shift() ?? "unknown";
        return event(seq, "build_tool_call_finished", { ...run, call_id, tool, ok: random(4) > 0 });
      }
      default:
        open.push(`c${seq}`);
        return event(seq, "build_tool_call_started", { ...run, call_id: `c${seq}`, tool, input });
    }
  });
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])("any journal (%d)", (seed) => {
  const events = journal(seed, 700);

  it("is rolled up the same when it is rolled up again", () => {
    expect(itemsOf(events)).toEqual(itemsOf(events));
    const rollUpAgain = createRollups();
    const rows = groupRows(events);
    const once = rollUpAgain(rows);
    const again = rollUpAgain([...rows]);
    expect(again.every((item, index) => item === once[index])).toBe(true);
  });

  it("has the same items whether its events arrive one by one or all at once", () => {
    const [group, rollUpNext] = [createRowGrouper(), createRollups()];
    let items: Item[] = [];
    for (let end = 1; end <= events.length; end++) items = rollUpNext(group(events.slice(0, end)));
    expect(items).toEqual(itemsOf(events));
  });

  it("keeps items that new events do not change", () => {
    const [group, rollUpNext] = [createRowGrouper(), createRollups()];
    const before = rollUpNext(group(events.slice(0, 600)));
    const after = rollUpNext(group(events));
    const unchanged = before.filter(
      (item, index) => JSON.stringify(item) === JSON.stringify(after[index]),
    );
    expect(unchanged.every((item) => after.includes(item))).toBe(true);
  });

  it("keeps every row once, in order", () => {
    const rows = groupRows(events);
    expect(itemsOf(events).flatMap(rowsOf)).toEqual(rows);
  });
});

describe("the list", () => {
  const items = itemsOf([
    ...call(1, "read_file", { path: "src/a.js" }),
    ...call(3, "read_file", { path: "src/b.js" }),
    event(5, "build_agent_turn", { ...run, text: "Now I know src/b.js." }),
  ]);
  const list = (filter: Partial<Filter>, isOpen?: (rollup: Rollup) => boolean) =>
    listItems(items, { ...NO_FILTER, ...filter }, (rollup, byDefault) =>
      isOpen ? isOpen(rollup) : byDefault,
    );
  const seqs = ({ items }: { items: Item[] }) => items.map(({ seq, kind }) => `${kind} ${seq}`);

  it("shows rollups closed, and their rows while they are open", () => {
    expect(seqs(list({}))).toEqual(["rollup 1", "turn 5"]);
    const open = list({}, () => true);
    expect(seqs(open)).toEqual(["rollup 1", "tool 1", "tool 3", "turn 5"]);
    expect(open.nested.size).toBe(2);
  });

  it("opens the rollup of a row that matches a search, with that row only", () => {
    expect(seqs(list({ text: "src/b.js" }))).toEqual(["rollup 1", "tool 3", "turn 5"]);
  });

  it("finds the title of a rollup without opening it", () => {
    expect(seqs(list({ text: "read 2 files" }))).toEqual(["rollup 1"]);
  });

  it("applies other filters to the rows of a rollup", () => {
    expect(seqs(list({ kind: "gates" }))).toEqual([]);
    expect(seqs(list({ kind: "agents" }))).toEqual(["rollup 1", "turn 5"]);
  });
});
