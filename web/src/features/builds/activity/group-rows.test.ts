import { describe, expect, it } from "vitest";
import { event } from "@/testing/events";
import { createRowGrouper, groupRows } from "./group-rows";
import { belongsTo } from "./row-filter";
import { rowText } from "./row-text";
import { firstIndexAfter } from "./use-first-index";

const call = { run_id: "r", call_id: "c1", tool: "write_file" };

describe("rows", () => {
  it("merges start and end of a tool call with other events in between", () => {
    const rows = groupRows([
      event(1, "build_agent_started", { run_id: "r", role: "coder" }),
      event(2, "build_tool_call_started", { ...call, input: { path: "a.js" } }),
      event(3, "build_file_changed", { run_id: "r", path: "a.js", insertions: 4 }),
      event(4, "build_tool_call_started", { ...call, call_id: "c2" }),
      event(5, "build_tool_call_finished", { ...call, ok: true, output: "done" }),
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(["agent", "tool", "tool"]);
    expect(rows[1]).toMatchObject({
      role: "coder",
      finished: { output: "done" },
      change: { insertions: 4 },
    });
    expect(rows[2]).toMatchObject({ finished: null });
  });

  it("merges a contract read into the row of its call", () => {
    const ask = (call_id: string, contract_type: string) => ({
      run_id: "r",
      call_id,
      tool: "forge_get_project_contract",
      input: { contract_type },
    });
    const read = (contract: string) => ({ run_id: "r", contract, version: 3, source: "snapshot" });
    const rows = groupRows([
      event(1, "build_tool_call_started", ask("c1", "stack")),
      event(2, "build_tool_call_started", ask("c2", "blueprint")),
      event(3, "build_tool_call_started", {
        run_id: "r",
        call_id: "c3",
        tool: "forge_get_phase_window",
        input: { phase_number: 0 },
      }),
      event(4, "build_contract_read", read("blueprint")),
      event(5, "build_contract_read", read("phases")),
      event(6, "build_contract_read", read("stack")),
      event(7, "build_tool_call_finished", { ...ask("c1", "stack"), ok: true }),
    ]);
    expect(rows).toMatchObject([
      { kind: "tool", read: { contract: "stack" }, finished: { ok: true } },
      { kind: "tool", read: { contract: "blueprint" } },
      { kind: "tool", read: { contract: "phases" } },
    ]);
  });

  it("merges all contract reads of a brief into its row", () => {
    const brief = {
      run_id: "r",
      call_id: "c1",
      tool: "forge_get_phase_brief",
      input: { phase_number: 0 },
    };
    const read = (contract: string) => ({ run_id: "r", contract, version: 3, source: "snapshot" });
    const rows = groupRows([
      event(1, "build_tool_call_started", brief),
      event(2, "build_contract_read", read("phases")),
      event(3, "build_contract_read", read("stack")),
    ]);
    expect(rows).toMatchObject([{ kind: "tool", read: { contract: "phases" } }]);
  });

  it("gives a contract read its own row if there is no such call", () => {
    const read = { run_id: "r", contract: "stack", version: 3, source: "project" };
    const other = { ...call, tool: "read_file", input: { contract_type: "stack" } };
    expect(
      groupRows([
        event(1, "build_tool_call_started", other),
        event(2, "build_contract_read", read),
      ]),
    ).toMatchObject([
      { kind: "tool", read: null },
      { kind: "note", text: "Read the contract Stack", detail: "v3" },
    ]);
  });

  it("shows a question once, and its call only if it was rejected", () => {
    const ask = { ...call, tool: "forge_ask_clarification", input: { question: "JWT?" } };
    const started = event(1, "build_tool_call_started", ask);
    const question = event(2, "build_clarification_request", { question: "JWT?" });
    const kinds = (...last: Parameters<typeof groupRows>[0]) =>
      groupRows([started, ...last]).map(({ kind }) => kind);
    expect(kinds(question)).toEqual(["question"]);
    expect(kinds(question, event(3, "build_tool_call_finished", { ...ask, ok: true }))).toEqual([
      "question",
    ]);
    expect(kinds(event(3, "build_tool_call_finished", { ...ask, ok: false }))).toEqual(["tool"]);
  });

  it("merges a push into the row of a recent commit", () => {
    const push = event(2, "build_pushed", { sha: "abcdef0123" });
    expect(
      groupRows([event(1, "build_commit_created", { sha: "abcdef0123" }), push]),
    ).toMatchObject([{ kind: "commit", pushed: true }]);
    expect(groupRows([push])).toMatchObject([{ kind: "note", text: "Pushed abcdef01" }]);
  });

  it("keeps one row for a call that restarts after a permission request", () => {
    const begin = (seq: number) => event(seq, "build_tool_call_started", call);
    const rows = groupRows([
      begin(1),
      event(2, "build_clarification_request", { question_id: "q1", question: "May it?" }),
      begin(3),
      event(4, "build_tool_call_finished", { ...call, ok: true }),
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(["tool", "question"]);
    expect(rows[0]).toMatchObject({ finished: { ok: true } });
  });

  it("keeps the key of a call when its start is loaded later", () => {
    const end = event(9, "build_tool_call_finished", { ...call, ok: true });
    const begin = event(8, "build_tool_call_started", call);
    expect(groupRows([end])[0]?.key).toBe(groupRows([begin, end])[0]?.key);
  });

  it("creates a row for each gate run, and counts failures as errors", () => {
    const rows = groupRows([
      event(1, "build_gate_started", { gate: "test", command: "node --test" }),
      event(2, "build_gate_finished", { gate: "test", passed: false, exit_code: 1 }),
      event(3, "build_gate_started", { gate: "test", command: "node --test" }),
    ]);
    expect(rows).toHaveLength(2);
    expect(rows.map((row) => belongsTo(row, "errors"))).toEqual([true, false]);
  });

  it("shows gates on the baseline and gates that ran out of memory with their logs", () => {
    const rows = groupRows([
      event(1, "build_preflight_finished", { gate: "test", passed: false, baseline_sha: "ab" }),
      event(2, "build_gate_started", { gate: "test", command: "node --test" }),
      event(3, "build_gate_out_of_resources", { gate: "test", resource: "memory" }),
    ]);
    expect(rows.map(rowText)).toEqual([
      expect.stringContaining("gate test failed before the build"),
      expect.stringContaining("gate test ran out of memory"),
    ]);
    expect(rows.map((row) => row.kind === "gate" && row.log?.split("/").slice(-2))).toEqual([
      ["1", "log"],
      ["3", "log"],
    ]);
    expect(rows.every((row) => belongsTo(row, "errors"))).toBe(true);
  });

  it("omits internal events and names unknown ones", () => {
    const rows = groupRows([
      event(1, "build_iteration_started", { n: 1 }),
      event(2, "build_branch_status", {}),
      event(3, "build_agent_turn", { run_id: "r", text: "  " }),
      event(4, "build_something_new", {}),
    ]);
    expect(rows).toMatchObject([{ kind: "note", text: "something new" }]);
  });

  it.each([
    [
      "build_agent_finished",
      { outcome: { result: "completed" }, signed_off: true },
      "The auditor signed off the phase",
    ],
    [
      "build_agent_finished",
      { outcome: { result: "stopped", code: "AMBIGUOUS_INTENT" } },
      "Stopped: AMBIGUOUS_INTENT",
    ],
    ["build_criterion_checked", { result: "passed", text: "sorted" }, "Criterion passed: sorted"],
    ["build_fix_attempt_started", { attempt: 2 }, "Fix attempt 2"],
    [
      "build_blocked",
      { report: "# Stuck\n\n**Why:** No tokens.\n\n## More" },
      "Blocked. No tokens.",
    ],
    ["build_blocked", { report: "" }, "Blocked"],
    [
      "build_interjected",
      { by: { kind: "user", id: "1", name: "Ada" }, text: "Hurry" },
      "Ada: Hurry",
    ],
  ] as const)("tells %s in plain words", (type, payload, text) => {
    expect(groupRows([event(1, type, payload as never)])).toMatchObject([{ text }]);
  });
});

describe("incremental grouping", () => {
  const events = [
    event(1, "build_agent_started", { run_id: "r", role: "coder" }),
    event(2, "build_agent_turn", { run_id: "r", text: "Hm." }),
    event(3, "build_tool_call_started", call),
    event(4, "build_agent_turn", { run_id: "r", text: "Well." }),
    event(5, "build_tool_call_finished", { ...call, ok: true }),
    event(6, "build_phase_started", { phase: 2 }),
  ];

  it("keeps unchanged rows and equals grouping as a whole", () => {
    const group = createRowGrouper();
    const before = group(events.slice(0, 4));
    const after = group(events.slice(0, 5));
    expect(after.map((row, index) => row === before[index])).toEqual([true, true, false, true]);
    expect(after).toEqual(groupRows(events.slice(0, 5)));
  });

  it.each([1, 2, 3])("equals grouping as a whole for steps of %d events", (step) => {
    const group = createRowGrouper();
    for (const part of [events, events.map((each) => ({ ...each, seq: each.seq + 500 }))])
      for (let end = step; end <= part.length; end += step)
        expect(group(part.slice(0, end))).toEqual(groupRows(part.slice(0, end)));
  });

  it("regroups when events are added at the front", () => {
    const group = createRowGrouper();
    group(events.slice(3));
    expect(group(events)).toEqual(groupRows(events));
  });

  it("keeps the rows of events that stay when others are dropped at the front", () => {
    const group = createRowGrouper();
    const before = group(events.slice(0, 4));
    const after = group(events.slice(2, 5));
    expect(after).toEqual(groupRows(events.slice(0, 5)).filter(({ seq }) => seq >= 3));
    expect(after[1]).toBe(before[3]);
  });
});

describe("first index", () => {
  it.each([
    ["rows put before it", ["c", "d"], ["a", "b", "c", "d"], 98],
    ["rows dropped from its front", ["a", "b", "c"], ["c", "d"], 102],
    ["rows only added behind", ["a"], ["a", "b"], 100],
    ["a first row that merged into an older one", ["x", "b"], ["a", "b"], 100],
  ])("follows %s", (_, before, now, index) => {
    expect(firstIndexAfter({ keys: before, index: 100 }, now)).toBe(index);
  });
});
