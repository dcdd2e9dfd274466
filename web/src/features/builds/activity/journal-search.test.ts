// Functions that read beyond the loaded rows.
import { describe, expect, it } from "vitest";
import { event } from "@/testing/events";
import { takeLines } from "./export-journal";
import { errorSince } from "./first-error";
import { groupRows, rowAt } from "./group-rows";
import { matches, NO_FILTER } from "./row-filter";
import { seqIn } from "./use-target";

const START = Date.parse("2026-11-21T20:00:00Z");
const at = (seq: number) => new Date(START + seq * 1000).toISOString();

describe("first error", () => {
  const journal = Array.from({ length: 40_000 }, (_, index) => ({
    ...event(index + 1, [31_007, 39_000].includes(index + 1) ? "build_error_tracked" : "build_log"),
    at: at(index + 1),
  }));
  let asked = 0;
  const fetchPage = async ({ after = 0, limit }: { after?: number; limit: number }) => {
    asked++;
    return journal.slice(after, after + limit);
  };

  it("is found in a long journal with few requests", async () => {
    expect(await errorSince(fetchPage, journal.length, START + 31_005_000)).toBe(31_007);
    expect(asked).toBeLessThan(20);
  });

  it("is null if there is none after the time", async () => {
    expect(await errorSince(fetchPage, journal.length, START + 39_500_000)).toBeNull();
  });
});

describe("phase and agent of rows", () => {
  const run = { run_id: "r", role: "fixer" as const };
  const rows = groupRows([
    event(1, "build_phase_started", { phase: 0 }),
    event(2, "build_agent_started", run),
    event(3, "build_agent_turn", { run_id: "r", text: "Hm." }),
    event(4, "build_phase_started", { phase: 1 }),
    event(5, "build_gate_started", { gate: "test" }),
    event(6, "build_sealing"),
  ]);

  it("come from earlier events", () => {
    expect(rows.map(({ phase, role }) => [phase, role])).toEqual([
      ["0", null],
      ["0", "fixer"],
      ["0", "fixer"],
      ["1", null],
      ["1", null],
      [null, null],
    ]);
    const matching = rows.filter((row) =>
      matches(row, { ...NO_FILTER, role: "fixer", text: "hm" }),
    );
    expect(matching.map(({ seq }) => seq)).toEqual([3]);
  });

  it("come from later events in a part of a journal", () => {
    const part = (type: string) =>
      groupRows([event(500), event(501, type, { phase: 3, gate: "g" })]).map(({ phase }) => phase);
    expect(part("build_phase_started")).toEqual(["2", "3"]);
    expect(part("build_gate_started")).toEqual(["3", "3"]);
  });

  it("rowAt finds the row that contains an event", () => {
    expect(rowAt(rows, 4)).toBe(3);
    expect(rowAt(groupRows([event(7), event(9)]), 8)).toBe(0);
  });
});

it("reads only event numbers from an address", () => {
  expect([seqIn("#42"), seqIn("#"), seqIn("#e4"), seqIn("")]).toEqual([42, null, null, null]);
});

describe("exported journal", () => {
  const stream = (...chunks: string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      },
    });

  it("ends with the newest event while the stream continues", async () => {
    const body = stream('{"seq":1}\n{"se', 'q":2}\n\n{"kind":"text"}\n{"seq":3', '}\n{"seq":4}\n');
    expect(await (await takeLines(body, 3)).text()).toBe('{"seq":1}\n{"seq":2}\n{"seq":3}\n');
  });
});
