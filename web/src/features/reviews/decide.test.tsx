import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Review, ReviewDecided } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { Decide } from "./decide";

afterEach(() => vi.unstubAllGlobals());

const review = (more: Partial<Review> = {}) =>
  ({
    build_id: "b1",
    may_approve: true,
    decisions: [],
    comments: [],
    ...more,
  }) as Partial<Review> as Review;

/** Answers every request alike; gives the bodies that were sent. */
function answering(status: number, body: unknown) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(await request.json());
    const type = status < 400 ? "application/json" : "application/problem+json";
    return new Response(JSON.stringify(body), { status, headers: { "content-type": type } });
  });
  return sent;
}

it("sends the decision with its reason and the newest decision that was shown", async () => {
  const sent = answering(201, { id: "d2" });
  const decisions = [{ id: "d1" } as ReviewDecided];
  renderWithCache(<Decide review={review({ decisions })} />);
  await userEvent.type(screen.getByLabelText("Why"), "I read it all");
  await userEvent.click(screen.getByRole("button", { name: "Approve" }));
  await waitFor(() => expect(screen.getByLabelText("Why")).toHaveValue(""));
  expect(sent).toEqual([{ decision: "approved", reason: "I read it all", seen: "d1" }]);
});

it("asks for a reason before anything is sent", async () => {
  const sent = answering(201, {});
  renderWithCache(<Decide review={review()} />);
  await userEvent.click(screen.getByRole("button", { name: "Request changes" }));
  expect(screen.getByText("Say why, in a sentence or two")).toBeInTheDocument();
  expect(sent).toEqual([]);
});

it("says why whoever started a build cannot approve it", () => {
  renderWithCache(<Decide review={review({ may_approve: false })} />);
  const approve = screen.getByRole("button", { name: "Approve" });
  expect(approve).toBeDisabled();
  expect(approve).toHaveAccessibleDescription(/You started this build/);
  expect(screen.getByRole("button", { name: "Request changes" })).toBeEnabled();
});

it("keeps what was typed when somebody else was faster, and says what they decided", async () => {
  answering(409, { status: 409, detail: "Eve has approved this build meanwhile." });
  renderWithCache(<Decide review={review()} />);
  await userEvent.type(screen.getByLabelText("Why"), "Too slow");
  await userEvent.click(screen.getByRole("button", { name: "Request changes" }));
  expect(await screen.findByText(/Eve has approved this build meanwhile/)).toBeInTheDocument();
  expect(screen.getByLabelText("Why")).toHaveValue("Too slow");
});
