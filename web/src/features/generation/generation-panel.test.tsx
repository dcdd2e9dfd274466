import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { ContractSummary, Generation } from "@/lib/api";
import { CONTRACT_TYPES } from "@/lib/contract-names";
import { keys } from "@/lib/query-keys";
import { generatedContract, generation } from "@/testing/generations";
import { renderWithCache } from "@/testing/render";
import { GenerationPanel } from "./generation-panel";

const contracts = (written: number, updated_at: string | null = null): ContractSummary[] =>
  CONTRACT_TYPES.map((type, index) => ({
    type,
    version: index < written ? 1 : 0,
    source: index < written ? "project" : "template",
    updated_at,
    tokens: 100,
  }));

function show(given: {
  written: number;
  generation?: Generation;
  unanswered?: { section: string; question: string; label: string; title: string }[];
  updated?: string;
}) {
  return renderWithCache(
    <GenerationPanel
      projectId="p1"
      contracts={contracts(given.written, given.updated)}
      generation={given.generation ?? null}
      unanswered={given.unanswered ?? []}
    />,
  );
}
const panel = () => within(screen.getByRole("region", { name: "Writing contracts" }));
const answer = (status: number, body: object) =>
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));

it("offers to write what is missing, and says how much that is", async () => {
  const client = show({ written: 6 });
  expect(panel().getByRole("heading", { name: "3 contracts are not written yet" })).toBeVisible();
  answer(201, generation(0));
  await userEvent.click(panel().getByRole("button", { name: "Write the contracts" }));
  expect(client.getQueryData(keys.generation("p1"))).toEqual(generation(0));
});

it("says which answers are needed first, and leads to each", () => {
  const place = { section: "tech_stack", question: "language", title: "Technology" };
  show({ written: 0, unanswered: [{ ...place, label: "Which language?" }] });
  expect(panel().getByText(/1 answer is needed first/)).toBeVisible();
  const way = "/projects/p1/questionnaire/tech_stack#language";
  expect(panel().getByRole("link", { name: "Which language?" })).toHaveAttribute("href", way);
  expect(panel().getByRole("link", { name: "Answer what is needed" })).toHaveAttribute("href", way);
  expect(panel().queryByRole("button", { name: "Write the contracts" })).toBeNull();
});

it("tells a refusal in the server's words", async () => {
  show({ written: 0 });
  answer(409, { status: 409, title: "Conflict", detail: "Somebody is writing them right now." });
  await userEvent.click(panel().getByRole("button", { name: "Write the contracts" }));
  expect(await panel().findByRole("alert")).toHaveTextContent(
    "Somebody is writing them right now.",
  );
});

it("shows what is done right now, and what it has taken so far", () => {
  const running = generation(3);
  Object.assign(running.contracts[0] ?? {}, { tokens_in: 900, cache_read: 100, tokens_out: 50 });
  Object.assign(running.contracts[3] ?? {}, {
    turn: 2,
    tool: "get_technical_preferences",
    cost_usd_micros: 20_000,
    refusals: 2,
    refusal: "line 3: no such type",
  });
  show({ written: 3, generation: running });
  expect(panel().getByRole("heading", { name: "Writing Schema, 4 of 9" })).toBeVisible();
  expect(panel().getByRole("progressbar", { name: "Contracts written" })).toHaveAttribute(
    "aria-valuetext",
    "3 of 9",
  );
  expect(panel().getByText("Reads the answers about technology…")).toBeVisible();
  for (const [label, value] of [
    ["Turn", "2 of at most 12"],
    ["Tokens sent", "1K"],
    ["Tokens received", "50"],
    ["Cost", "$0.02"],
    ["Model", "m-1"],
  ])
    expect(panel().getByText(label ?? "").nextElementSibling).toHaveTextContent(value ?? "");
  expect(panel().getByText("Schema", { selector: "b" }).parentElement).toHaveTextContent(
    "Schema, 2 times: line 3: no such type",
  );
  expect(screen.getByText("Writing Schema, 4 of 9", { selector: "[role=status]" })).toBeTruthy();
});

it("keeps quiet about a price that nobody knows", () => {
  const running = generation(1);
  Object.assign(running.contracts[0] ?? {}, { tokens_in: 900, cost_usd_micros: null });
  show({ written: 1, generation: running });
  expect(panel().getByText("Tokens sent")).toBeVisible();
  expect(panel().queryByText("Cost")).toBeNull();
});

it("says until when it waits for the provider", () => {
  const failure = "It is overloaded.";
  const waiting = { status: "queued", failure, retry_at: "2026-11-21T20:05:00Z" } as const;
  show({ written: 1, generation: generation(1, waiting) });
  expect(panel().getByText(/^Waiting for the provider until \d\d:05/)).toBeVisible();
  expect(panel().getByText(failure)).toBeVisible();
  expect(panel().getByRole("button", { name: "Cancel" })).toBeEnabled();
});

it("says what happened, what was kept, and goes on where it stopped", async () => {
  const failure = "The provider refused the key. Set another, then go on.";
  const failed = generation(4, { status: "failed", failure });
  Object.assign(failed.contracts[4] ?? {}, { status: "failed" });
  const client = show({ written: 4, generation: failed });
  expect(panel().getByRole("heading", { name: "Stopped at Physics" })).toBeVisible();
  expect(panel().getByText(failure)).toBeVisible();
  expect(panel().getByText(/^4 of 9 contracts are written and kept\./)).toBeVisible();
  answer(200, generation(4));
  await userEvent.click(panel().getByRole("button", { name: "Go on" }));
  expect(client.getQueryData(keys.generation("p1"))).toEqual(generation(4));
});

it("offers no way on where all of it has been written otherwise since", () => {
  const cancelled = generation(4, { status: "cancelled" });
  show({ written: 9, generation: cancelled, updated: "2026-11-21T21:00:00Z" });
  expect(screen.queryByRole("region", { name: "Writing contracts" })).toBeNull();
});

it("calls a draft a draft, where else a model would be named", () => {
  const done = generation(9, { status: "done", model: "offline" });
  for (const contract of done.contracts) contract.source = "draft";
  show({ written: 9, generation: done });
  expect(panel().getByRole("heading", { name: "9 contracts are written" })).toBeVisible();
  expect(panel().getByText(/^Offline draft · 2 m 10 s/)).toBeVisible();
  expect(panel().getByText(/Read them, and edit/)).toBeVisible();
});

it("names a single contract that was written again", () => {
  const one = [generatedContract({ type: "ui", status: "written", source: "generated" })];
  show({ written: 9, generation: generation(0, { status: "done", contracts: one }) });
  expect(panel().getByRole("heading", { name: "UI is written" })).toBeVisible();
});

it("is not there where nothing is missing and nothing was written", () => {
  show({ written: 9 });
  expect(screen.queryByRole("region", { name: "Writing contracts" })).toBeNull();
});
