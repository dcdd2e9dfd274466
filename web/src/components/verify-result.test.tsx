import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import { VerifyResult } from "./verify-result";

const found = { events: 1204, head_hash: "ab12cd34", notes: [] };

it("shows an intact chain with its head and notes", () => {
  const notes = ["The seal is not signed yet."];
  renderInApp(<VerifyResult found={{ ...found, ok: true, problems: [], notes }} />);
  expect(screen.getByText("The chain of 1,204 events is intact.")).toBeInTheDocument();
  expect(screen.getByText("ab12cd34")).toBeInTheDocument();
  expect(screen.getByText("The seal is not signed yet.")).toBeInTheDocument();
});

it("lists problems with their events", () => {
  const problems = [
    { seq: 1700, what: "its hash is not that of its content" },
    { seq: null, what: "builds.verdict of 1 is FLAGGED; the journal gives CERTIFIED" },
    { seq: null, what: "the hosted repository: the branch ends elsewhere" },
  ];
  renderInApp(<VerifyResult found={{ ...found, ok: false, problems }} />);
  expect(screen.getByText("3 problems found")).toBeInTheDocument();
  const items = screen.getAllByRole("listitem").map((item) => item.textContent);
  expect(items).toEqual([
    "Event 1,700: its hash is not that of its content",
    "builds.verdict of 1 is FLAGGED; the journal gives CERTIFIED",
    "the hosted repository: the branch ends elsewhere",
  ]);
  expect(screen.queryByText(/intact/)).not.toBeInTheDocument();
});

it("counts the problems beyond the first twenty", () => {
  const problems = Array.from({ length: 23 }, (_, n) => ({ seq: null, what: `problem ${n}` }));
  renderInApp(<VerifyResult found={{ ...found, ok: false, problems }} />);
  expect(screen.getAllByRole("listitem")).toHaveLength(20);
  expect(screen.getByText("And 3 more.")).toBeInTheDocument();
});
