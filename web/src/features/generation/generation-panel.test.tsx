import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { CONTRACT_TYPES } from "@/domain/contract-names";
import type { ContractSummary, Generation } from "@/lib/api";
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
    gap_count: 0,
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
const panel = () => within(screen.getByRole("region", { name: "Contract generation" }));
const answer = (status: number, body: object) =>
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));

it("offers to generate the missing contracts and counts them", async () => {
  const client = show({ written: 6 });
  expect(
    panel().getByRole("heading", { name: "3 contracts have not been generated yet" }),
  ).toBeVisible();
  answer(201, generation(0));
  await userEvent.click(panel().getByRole("button", { name: "Generate contracts" }));
  expect(client.getQueryData(keys.generation("p1"))).toEqual(generation(0));
});

it("asks for no answers if there are contracts that were not generated from them", () => {
  const question = { section: "tech_stack", question: "language", title: "Technology" };
  show({ written: 3, unanswered: [{ ...question, label: "Which language?" }] });
  expect(screen.queryByRole("region", { name: "Contract generation" })).toBeNull();
});

it("lists open required questions with links", () => {
  const place = { section: "tech_stack", question: "language", title: "Technology" };
  show({ written: 0, unanswered: [{ ...place, label: "Which language?" }] });
  expect(panel().getByText(/1 required answer is missing/)).toBeVisible();
  const way = "/projects/p1/questionnaire/tech_stack#language";
  expect(panel().getByRole("link", { name: "Which language?" })).toHaveAttribute("href", way);
  expect(panel().getByRole("link", { name: "Answer required questions" })).toHaveAttribute(
    "href",
    way,
  );
  expect(panel().queryByRole("button", { name: "Generate contracts" })).toBeNull();
});

it("shows the server's message if the start is rejected", async () => {
  show({ written: 0 });
  answer(409, { status: 409, title: "Conflict", detail: "A generation is already running." });
  await userEvent.click(panel().getByRole("button", { name: "Generate contracts" }));
  expect(await panel().findByRole("alert")).toHaveTextContent("A generation is already running.");
});

it("shows the current activity and usage", async () => {
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
  expect(panel().getByRole("heading", { name: "Generating Schema, 4 of 9" })).toBeVisible();
  expect(panel().getByRole("progressbar", { name: "Contracts generated" })).toHaveAttribute(
    "aria-valuetext",
    "3 of 9",
  );
  expect(panel().getByText("Reading the answers about technology…")).toBeVisible();
  for (const [label, value] of [
    ["Turn", "2 of max. 12"],
    ["Tokens sent", "1K"],
    ["Tokens received", "50"],
    ["Cost", "$0.02"],
    ["Model", "m-1"],
  ])
    expect(panel().getByText(label ?? "").nextElementSibling).toHaveTextContent(value ?? "");
  await userEvent.click(panel().getByRole("button", { name: "2 texts rejected and rewritten" }));
  expect(panel().getByRole("listitem")).toHaveTextContent("Schema, 2 times: line 3: no such type");
  expect(screen.getByText("Generating Schema, 4 of 9", { selector: "[role=status]" })).toBeTruthy();
});

it("omits an unknown price", () => {
  const running = generation(1);
  Object.assign(running.contracts[0] ?? {}, { tokens_in: 900, cost_usd_micros: null });
  show({ written: 1, generation: running });
  expect(panel().getByText("Tokens sent")).toBeVisible();
  expect(panel().queryByText("Cost")).toBeNull();
});

it("shows when the provider is retried", () => {
  const failure = "It is overloaded.";
  const waiting = { status: "queued", failure, retry_at: "2026-11-21T20:05:00Z" } as const;
  show({ written: 1, generation: generation(1, waiting) });
  expect(panel().getByText(/^Waiting for the provider until \d\d:05/)).toBeVisible();
  expect(panel().getByText(failure)).toBeVisible();
  expect(panel().getByRole("button", { name: "Cancel" })).toBeEnabled();
});

it("shows why it stopped and what was kept, and resumes", async () => {
  const failure = "The provider refused the key. Set another, then resume.";
  const failed = generation(4, { status: "failed", failure });
  Object.assign(failed.contracts[4] ?? {}, { status: "failed" });
  const client = show({ written: 4, generation: failed });
  expect(panel().getByRole("heading", { name: "Stopped at Physics" })).toBeVisible();
  expect(panel().getByText(failure)).toBeVisible();
  expect(panel().getByText(/^4 of 9 contracts were generated and kept\./)).toBeVisible();
  answer(200, generation(4));
  await userEvent.click(panel().getByRole("button", { name: "Continue" }));
  expect(client.getQueryData(keys.generation("p1"))).toEqual(generation(4));
});

it("does not offer to resume if all contracts have been written since", () => {
  const cancelled = generation(4, { status: "cancelled" });
  show({ written: 9, generation: cancelled, updated: "2026-11-21T21:00:00Z" });
  expect(screen.queryByRole("region", { name: "Contract generation" })).toBeNull();
});

it("labels a draft where otherwise the model is named", () => {
  const done = generation(9, { status: "done", model: "offline" });
  for (const contract of done.contracts) contract.source = "draft";
  show({ written: 9, generation: done });
  expect(panel().getByRole("heading", { name: "9 contracts generated" })).toBeVisible();
  expect(panel().getByText(/^Offline draft · 2m 10s/)).toBeVisible();
  expect(panel().getByText(/Review and edit them/)).toBeVisible();
});

it("names a single regenerated contract", () => {
  const one = [generatedContract({ type: "ui", status: "written", source: "generated" })];
  show({ written: 9, generation: generation(0, { status: "done", contracts: one }) });
  expect(panel().getByRole("heading", { name: "UI generated" })).toBeVisible();
});

it("renders nothing if no contract is missing and none was generated", () => {
  show({ written: 9 });
  expect(screen.queryByRole("region", { name: "Contract generation" })).toBeNull();
});
