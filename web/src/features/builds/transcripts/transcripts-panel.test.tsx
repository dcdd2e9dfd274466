import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { BuildRun, TranscriptMessage } from "@/lib/api";
import { renderWithClient } from "@/testing/render";
import TranscriptsPanel from "./transcripts-panel";

afterEach(() => vi.unstubAllGlobals());

const run = (more: Partial<BuildRun>): BuildRun => ({
  run_id: "r1",
  conversation: "r1",
  role: "coder",
  task: "plan",
  phase: 0,
  model: "m-1",
  started_at: "2026-11-21T20:25:00Z",
  finished_at: "2026-11-21T20:26:00Z",
  outcome: { result: "completed" },
  turns: 2,
  tokens_in: 20_000,
  tokens_out: 600,
  cost_usd_micros: 60_000,
  ...more,
});
const RUNS = [
  run({}),
  run({ run_id: "r2", task: "execute", finished_at: null, outcome: null }),
  run({ run_id: "r3", conversation: "r3", role: "auditor", task: "audit" }),
];

const short = (text: string) => ({ text, bytes: text.length, is_cut: false });
const message = (more: Partial<TranscriptMessage>): TranscriptMessage => ({
  run_id: "r1",
  position: 0,
  author: "user",
  at: "2026-11-21T20:25:00Z",
  texts: [],
  reasoning: null,
  tool_calls: [],
  tool_results: [],
  ...more,
});
const cutResult = { text: "first", bytes: 90_000, is_cut: true };
const MESSAGES = [
  message({ texts: [short("Plan the phase.")] }),
  message({
    position: 1,
    author: "assistant",
    reasoning: short("Where to look?"),
    tool_calls: [{ call_id: "c", tool: "read_file", input: short('{ "path": "a.txt" }') }],
  }),
  message({ run_id: "r2", tool_results: [{ call_id: "c", output: cutResult, is_error: false }] }),
];

/** A server with these runs, which returns messages in pages of two. */
function serving(runs: BuildRun[]) {
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith("/runs")) return Response.json({ items: runs, next: null });
    if (pathname.endsWith("/transcript/0")) {
      const output = short("first and last");
      return Response.json({
        ...MESSAGES[2],
        tool_results: [{ call_id: "c", output, is_error: false }],
      });
    }
    const isSecond = searchParams.get("after") === "r1:1";
    return Response.json({
      conversation: "r1",
      role: "coder",
      system: "You are the coder.",
      tools: ["read_file", "edit_file"],
      items: isSecond ? MESSAGES.slice(2) : MESSAGES.slice(0, 2),
      next: isSecond ? null : "r1:1",
    });
  });
}

const show = (search = "") =>
  renderWithClient(
    <MemoryRouter initialEntries={[`/${search}`]}>
      <TranscriptsPanel buildId="b1" />
    </MemoryRouter>,
    () => {},
  );

it("lists runs of one conversation together, and opens it", async () => {
  serving(RUNS);
  show();
  const coder = await screen.findByRole("link", { name: /Phase 0 · Coder/ });
  expect(screen.getAllByRole("listitem")).toHaveLength(2);
  expect(coder).toHaveTextContent("Plan: completed · Implementation: running");
  expect(coder).toHaveTextContent("m-1 · 4 replies · 40K in · 1.2K out · $0.12");
  await userEvent.click(coder);
  expect(await screen.findByText("Plan the phase.")).toBeVisible();
});

it("shows what was sent and replied, over all pages and runs", async () => {
  serving(RUNS);
  show("?run=r2");
  const messages = await screen.findAllByRole("article");
  expect(messages.map((it) => it.querySelector("b")?.textContent)).toEqual([
    "Prompt",
    "Coder",
    "Tool",
  ]);
  expect(screen.getByRole("heading", { name: /^Implementation/ })).toBeVisible();
  const reply = within(messages[1] as HTMLElement);
  expect(reply.getByRole("figure", { name: "Thinking" })).toHaveTextContent("Where to look?");
  expect(reply.getByRole("figure", { name: "Call: read_file" })).toHaveTextContent("a.txt");
  await userEvent.click(screen.getByRole("button", { name: "System prompt" }));
  expect(screen.getByText("You are the coder.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "2 tools" }));
  expect(screen.getByText(/edit_file/)).toBeVisible();
});

it("shows a shortened message in full on request", async () => {
  serving(RUNS);
  show("?run=r1");
  expect(await screen.findByText(/the whole text has 90,000 bytes/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Show full message" }));
  expect(await screen.findByText("first and last")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Show full message" })).not.toBeInTheDocument();
});

it("explains what will appear before the first run", async () => {
  serving([]);
  show();
  expect(await screen.findByText("No transcripts yet")).toBeVisible();
});
