import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import { newCommentKey, useCommentDrafts } from "./comment-drafts";
import { NewComment } from "./new-comment";
import type { CommentPlace } from "./threads";

afterEach(() => localStorage.clear());

const PLACE = { path: "a.js", side: "new" as const, number: 3 };
const LINES = [
  { number: 1, text: "if (a) {" },
  { number: 2, text: "  b();" },
  { number: 3, text: "}" },
];

function Page({ onComment }: { onComment: (place: CommentPlace, text: string) => void }) {
  const drafts = useCommentDrafts("build");
  return (
    <>
      <NewComment
        place={PLACE}
        lines={LINES}
        drafts={drafts}
        onComment={async (place, text) => onComment(place, text)}
      />
      <output>{drafts.has(newCommentKey(PLACE)) ? "open" : "closed"}</output>
    </>
  );
}

it("is on several lines, which a suggested edit replaces", async () => {
  const sent: unknown[] = [];
  renderInApp(<Page onComment={(place, text) => sent.push([place, text])} />);
  expect(screen.getByLabelText("Comment on line 3")).toBeVisible();
  await userEvent.selectOptions(screen.getByLabelText("First line"), "1: if (a) {");
  const field = screen.getByLabelText("Comment on lines 1 to 3");
  await userEvent.click(screen.getByRole("button", { name: "Suggest edit" }));
  const suggestion = "```suggestion\nif (a) {\n  b();\n}\n```\n";
  expect(field).toHaveValue(suggestion);
  await userEvent.click(screen.getByRole("button", { name: "Comment" }));
  await waitFor(() => expect(sent).toEqual([[{ ...PLACE, first_number: 1 }, suggestion]]));
  await waitFor(() => expect(screen.getByRole("status")).toHaveTextContent("closed"));
});

it("is on its own line unless an earlier one is chosen", async () => {
  const sent: unknown[] = [];
  renderInApp(<Page onComment={(place) => sent.push(place)} />);
  await userEvent.type(screen.getByLabelText("Comment on line 3"), "Why?");
  await userEvent.click(screen.getByRole("button", { name: "Comment" }));
  await waitFor(() => expect(sent).toEqual([{ ...PLACE, first_number: null }]));
});

it("keeps the chosen lines with the draft until it is discarded", async () => {
  const page = () => renderInApp(<Page onComment={() => {}} />);
  const { unmount } = page();
  await userEvent.selectOptions(screen.getByLabelText("First line"), "2: b();");
  await userEvent.type(screen.getByLabelText("Comment on lines 2 to 3"), "Why?");
  unmount();
  page();
  expect(screen.getByLabelText("Comment on lines 2 to 3")).toHaveValue("Why?");
  await userEvent.click(screen.getByRole("button", { name: "Discard" }));
  expect(screen.getByLabelText("Comment on line 3")).toHaveValue("");
});
