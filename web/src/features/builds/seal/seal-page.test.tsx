import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { describe, expect, it, vi } from "vitest";
import type { Clause } from "@/components/evidence/clause-labels";
import { evidenceLabel, openProofs, summaryOf } from "@/components/evidence/clause-labels";
import type { Build } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { renderWithCache, renderWithClient } from "@/testing/render";
import SealPage from "./seal-page";

const proof = (what: string, standing: "holds" | "open" | "broken") => ({ what, standing });
const clause = (kind: string, ...proofs: ReturnType<typeof proof>[]) =>
  ({
    clause: kind,
    standing: proofs.some(({ standing }) => standing !== "holds") ? "open" : "holds",
    proofs,
  }) as unknown as Clause;

const criteria = clause(
  "criteria",
  proof("It counts — a.test.js:3", "holds"),
  proof("It is quick — unverified", "open"),
);
const errors = clause("errors");
const gates = clause("gates", proof("test: failed", "broken"));

const build = (...clauses: Clause[]) =>
  ({
    id: "b1",
    number: 7,
    project_id: "p1",
    branch: "forge/build-b1",
    phases_done: 2,
    phase_count: 2,
    commit_count: 5,
    working_ms: 61_000,
    spent: { tokens_in: 900, tokens_out: 100, usd_micros: 120_000 },
    seal: {
      verdict: "CONDITIONAL",
      score: 90,
      seal_commit: "0123456789",
      sealed_at: "2026-11-22T10:00:00Z",
      evidence: { head_sha: "9876543210", clauses },
    },
  }) as unknown as Build;

describe("clause labels", () => {
  it("count passed proofs", () => {
    expect(evidenceLabel(criteria)).toBe("1 of 2 criteria verified");
    expect(evidenceLabel(clause("phases", proof("Phase 0", "holds")))).toBe("1 phase signed off");
    expect(evidenceLabel(errors)).toBe("None");
  });

  it("summarize how many conditions are met", () => {
    expect(summaryOf([errors, clause("phases")])).toBe("All 2 conditions are met");
    expect(summaryOf([errors, criteria])).toBe("1 of 2 conditions are met");
  });

  it("list failed proofs before open ones", () => {
    expect(openProofs([criteria, gates]).map(({ proof }) => proof.what)).toEqual([
      "test: failed",
      "It is quick — unverified",
    ]);
  });
});

describe("SealPage", () => {
  it("shows open issues and the evidence of each requirement", async () => {
    renderWithCache(<SealPage build={build(criteria, errors)} />);
    const open = await screen.findByRole("region", { name: "Open issues" });
    expect(within(open).getByText(/It is quick/)).toBeVisible();
    expect(within(open).queryByText(/It counts/)).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: /Every exit criterion/ }));
    expect(screen.getByText(/It counts/)).toBeVisible();
    expect(screen.getByText("forgeguard verify build-b1.zip --key seal.pub")).toBeVisible();
  });

  it("says so if there are no open issues", async () => {
    renderWithCache(<SealPage build={build(errors)} />);
    expect(await screen.findByText(/^There are no open errors/)).toBeVisible();
  });

  it("waits for parts that would move those below, but not for those that fail", async () => {
    let resolve: (instructions: Response) => void = () => {};
    const instructions = new Promise<Response>((resolved) => {
      resolve = resolved;
    });
    vi.stubGlobal("fetch", ({ url }: Request) =>
      url.endsWith("/run-instructions") ? instructions : Promise.reject(new TypeError("refused")),
    );
    const client = renderWithCache(<SealPage build={build(errors)} />);
    await waitFor(() => expect(client.isFetching()).toBe(1));
    expect(screen.queryByRole("heading", { name: "Conditions and evidence" })).toBeNull();
    resolve(Response.json({ path: "README.md", text: null }));
    expect(await screen.findByRole("heading", { name: "Conditions and evidence" })).toBeVisible();
    expect(screen.getByRole("heading", { name: "How to run it" })).toBeVisible();
  });

  it("shows what the build achieved, how to run it, and the key that verifies it", async () => {
    renderWithClient(
      <MemoryRouter>
        <SealPage build={build(errors)} />
      </MemoryRouter>,
      (client) => {
        const items = [{ standing: "holds" }, { standing: "open" }];
        client.setQueryData(keys.buildRequirements("b1"), { items, phase_files: [] });
        client.setQueryData(keys.runInstructions("b1"), { path: "README.md", text: null });
        client.setQueryData(keys.sealKey, { public_key: "PEM", key_id: "ab12" });
        const phase = { tokens_in: 400, tokens_out: 50, cost_usd_micros: 60_000 };
        client.setQueryData(keys.usage("b1"), {
          total: { cost_usd_micros: 120_000 },
          phases: [
            { phase: 0, title: "Due dates", ...phase },
            { phase: 1, title: "Report", ...phase },
          ],
        });
      },
    );
    expect(await screen.findByRole("link", { name: "1 of 2" })).toBeVisible();
    expect(screen.getByRole("link", { name: "Browse the files of this commit" })).toHaveAttribute(
      "href",
      "/projects/p1/builds/7/files/9876543210/",
    );
    expect(screen.getByText("$0.12")).toBeVisible();
    expect(screen.getByText("README.md does not say how to run the project.")).toBeVisible();
    expect(screen.getByRole("table", { name: "Cost by phase" })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Download seal.pub" })).toBeEnabled();
    expect(screen.getByText("ab12")).toBeVisible();
  });
});
