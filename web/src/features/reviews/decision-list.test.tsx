import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { ReviewDecided, ReviewDecision } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { ApprovalBadge } from "./approval-badge";
import { DecisionList } from "./decision-list";

const decided = (...decisions: ReviewDecision[]) =>
  decisions.map((decision, index) => ({
    id: String(index),
    decision,
    reviewer: { id: String(index), name: `User ${index}` },
    reason: "",
    created_at: "2026-01-01T00:00:00Z",
  })) as ReviewDecided[];

const past = () =>
  screen.getAllByRole("listitem").map((item) => item.textContent?.includes("outdated"));

it("counts all approvals since changes were requested", () => {
  renderWithCache(
    <DecisionList decisions={decided("approved", "approved", "changes_requested")} />,
  );
  expect(past()).toEqual([false, false, true]);
});

it("does not count decisions before a request for changes", () => {
  renderWithCache(<DecisionList decisions={decided("changes_requested", "approved")} />);
  expect(past()).toEqual([false, true]);
});

it("shows how many approvals are missing", () => {
  renderWithCache(<ApprovalBadge decision={null} approvals={1} required={2} />);
  expect(screen.getByText("1 of 2 approvals")).toBeInTheDocument();
});
