import { screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { describe, expect, it } from "vitest";
import type { FeedEvent } from "@/domain/feed/event";
import { event } from "@/testing/events";
import { renderInApp } from "@/testing/render";
import { createExpandedRows, ExpandedRowsContext } from "./expanded-rows";
import { groupRows } from "./group-rows";
import type { Row } from "./row";
import { matches, NO_FILTER } from "./row-filter";
import { RowView } from "./row-view";

const call = { run_id: "r", call_id: "c1", tool: "edit_file" };
const ada = { kind: "user", id: "u1", name: "Ada" } as const;

const EVENTS: FeedEvent[] = [
  event(1, "build_phase_started", { phase: 1, title: "Due dates" }),
  event(2, "build_agent_started", { run_id: "r", role: "coder", task: "execute", model: "m-1" }),
  event(3, "build_agent_turn", { run_id: "r", text: 'I say "hi" to `greet()`,\nthen stop.' }),
  event(4, "build_tool_call_started", { ...call, input: { path: "src/a.js", text: 'say("x")' } }),
  event(5, "build_file_changed", { run_id: "r", path: "src/a.js", insertions: 4, deletions: 2 }),
  event(6, "build_tool_call_finished", {
    ...call,
    ok: true,
    output: "done\nwell",
    duration_ms: 900,
  }),
  event(7, "build_gate_finished", {
    gate: "test",
    command: "node --test",
    passed: false,
    required: false,
    exit_code: 1,
    sandbox: "strict",
    head_sha: "abcdef0123456789",
    output: "1 failed\n  at a.js",
  }),
  event(8, "build_commit_created", {
    sha: "0123456789ab",
    title: "Add dates",
    author_name: "Ada",
    files: 2,
    insertions: 7,
    deletions: 1,
  }),
  event(9, "build_clarification_request", { question: "Which?", context: "Two exist" }),
  event(10, "build_clarification_resolved", { how: "answered", answer: "Both", by: ada }),
  event(11, "build_clarification_resolved", { how: "skipped", by: ada }),
  event(12, "build_error_tracked", {
    message: "x is not defined",
    file_path: "src/a.js",
    occurrence_count: 3,
    regression: true,
  }),
  event(13, "build_error_resolved", { method: "auto-fix" }),
  event(14, "build_plan_updated", { run_id: "r", steps: ["Write `a.js`", "Test it"] }),
  event(15, "build_phase_complete", { phase: 1, deliverables: ["a.js"] }),
  event(16, "build_sealed", { verdict: "CERTIFIED", score: 97, seal_commit: "fedcba9876543210" }),
];

const finds = (row: Row, words: string) =>
  matches(row, { ...NO_FILTER, text: words.toLowerCase() });

describe("a search", () => {
  it.each(groupRows(EVENTS).map((row) => [row.kind, row] as const))(
    "finds every word that a row of kind %s displays",
    (_, row) => {
      renderInApp(
        <ExpandedRowsContext.Provider value={createExpandedRows(true)}>
          <MemoryRouter>
            <main>
              <RowView row={row} />
            </main>
          </MemoryRouter>
        </ExpandedRowsContext.Provider>,
      );
      const main = screen.getByRole("main");
      for (const time of main.querySelectorAll("time")) time.remove();
      const words = textParts(main).flatMap((text) => text.split(/\s+/));
      expect(words.filter((word) => word && !finds(row, word))).toEqual([]);
    },
  );

  it.each([
    ["the names of fields", "call_id"],
    ["the names of values", "coder"],
    ["ids", "c1"],
    ["escaped line breaks", "\\n"],
  ])("does not find %s that no row displays", (_, words) => {
    const found = groupRows(EVENTS).filter((row) => finds(row, words));
    // Agents are displayed by name.
    expect(found.filter((row) => row.kind !== "agent" && row.kind !== "turn")).toEqual([]);
  });

  it("finds words with quotes, and words across line breaks", () => {
    const turn = groupRows(EVENTS).find((row) => row.kind === "turn") as Row;
    expect(finds(turn, 'say "hi" to greet(), then')).toBe(true);
  });
});

/** The text of each element, separated by spaces. */
function textParts(node: Node): string[] {
  if (node.nodeType === Node.TEXT_NODE) return [node.textContent ?? ""];
  return [...node.childNodes].flatMap(textParts);
}
