import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { SpecFromIssue } from "./spec-from-issue";

it("reads an issue after its number was corrected", async () => {
  const requests: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = await request.json();
    requests.push(body);
    return body.issue === "7"
      ? Response.json({ url: "https://forge.example/me/shelf/issues/7", text: "# Sort the list" })
      : Response.json(
          { detail: "Invalid", fields: { issue: "the remote has no issue 8" } },
          { status: 422 },
        );
  });
  const onRead = vi.fn();
  renderWithCache(<SpecFromIssue projectId="p" onRead={onRead} />);
  await userEvent.click(screen.getByRole("button", { name: "From an issue" }));
  const issue = await screen.findByRole("textbox", { name: "Issue" });
  expect(screen.getByRole("button", { name: "Read" })).toBeDisabled();
  await userEvent.type(issue, "8{Enter}");
  expect(await screen.findByText("the remote has no issue 8")).toBeVisible();
  expect(onRead).not.toHaveBeenCalled();

  await userEvent.clear(issue);
  await userEvent.type(issue, " 7 {Enter}");
  await waitFor(() => expect(onRead).toHaveBeenCalledWith("# Sort the list"));
  expect(requests).toEqual([{ issue: "8" }, { issue: "7" }]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
