import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Review, ReviewDecided } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { DecisionForm } from "./decision-form";

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

const review = (more: Partial<Review> = {}) =>
  ({
    build_id: "b1",
    may_approve: true,
    decisions: [],
    comments: [],
    ...more,
  }) as Partial<Review> as Review;

/** Gives every request the same response and records the bodies. */
function answering(status: number, body: unknown) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(await request.json());
    const type = status < 400 ? "application/json" : "application/problem+json";
    return new Response(JSON.stringify(body), { status, headers: { "content-type": type } });
  });
  return sent;
}

it("sends the decision with its comment and the latest decision shown", async () => {
  const sent = answering(201, { id: "d2" });
  const decisions = [{ id: "d1" } as ReviewDecided];
  renderWithCache(<DecisionForm review={review({ decisions })} />);
  await userEvent.type(screen.getByLabelText("Comment"), "I read it all");
  await userEvent.click(screen.getByRole("button", { name: "Approve" }));
  await waitFor(() => expect(screen.getByLabelText("Comment")).toHaveValue(""));
  expect(sent).toEqual([{ decision: "approved", reason: "I read it all", seen: "d1" }]);
});

it("requires a comment to request changes", async () => {
  const sent = answering(201, {});
  renderWithCache(<DecisionForm review={review()} />);
  await userEvent.click(screen.getByRole("button", { name: "Request changes" }));
  expect(screen.getByText("Explain which changes are needed")).toBeInTheDocument();
  expect(sent).toEqual([]);
});

it("approves without a comment", async () => {
  const sent = answering(201, { id: "d1" });
  renderWithCache(<DecisionForm review={review()} />);
  await userEvent.click(screen.getByRole("button", { name: "Approve" }));
  await waitFor(() => expect(sent).toEqual([{ decision: "approved", reason: "", seen: null }]));
});

it("explains why a contributor cannot approve the build", () => {
  const approval_obstacle = "You own this project, so someone else has to approve its builds.";
  renderWithCache(<DecisionForm review={review({ may_approve: false, approval_obstacle })} />);
  const approve = screen.getByRole("button", { name: "Approve" });
  expect(approve).toBeDisabled();
  expect(approve).toHaveAccessibleDescription(approval_obstacle);
  expect(screen.getByRole("button", { name: "Request changes" })).toBeEnabled();
});

it("keeps the text if someone else decided first, and shows their decision", async () => {
  answering(409, { status: 409, detail: "Eve has approved this build meanwhile." });
  renderWithCache(<DecisionForm review={review()} />);
  await userEvent.type(screen.getByLabelText("Comment"), "Too slow");
  await userEvent.click(screen.getByRole("button", { name: "Request changes" }));
  expect(await screen.findByText(/Eve has approved this build meanwhile/)).toBeInTheDocument();
  expect(screen.getByLabelText("Comment")).toHaveValue("Too slow");
});
