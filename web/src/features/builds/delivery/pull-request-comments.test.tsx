import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { PullRequestComment } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { PullRequestComments } from "./pull-request-comments";

const COMMENTS: PullRequestComment[] = [
  { id: "review-1", author: "alex", text: "Nearly" },
  { id: "comment-2", author: "alex", path: "src/a.ts", line: 4, text: "Why?" },
];

it("starts a follow-up with the selected comments and says why it could not", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(await request.json());
    const detail = "The comments of the pull request have changed; select them again.";
    return Response.json({ title: "Conflict", status: 409, detail }, { status: 409 });
  });
  renderWithCache(<PullRequestComments buildId="b1" comments={COMMENTS} followUp={null} />);
  await userEvent.click(screen.getByRole("checkbox", { name: /on the pull request/ }));
  await userEvent.click(screen.getByRole("button", { name: "Start follow-up build" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("select them again");
  expect(sent).toEqual([{ comments: ["comment-2"] }]);
});

it("links to the follow-up instead of offering another one", () => {
  const followUp = { number: 4, project_slug: "shelf" } as never;
  renderWithCache(<PullRequestComments buildId="b1" comments={COMMENTS} followUp={followUp} />);
  const link = screen.getByRole("link", { name: "Open follow-up" });
  expect(link).toHaveAttribute("href", "/projects/shelf/builds/4");
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.queryByRole("checkbox")).toBeNull();
});
