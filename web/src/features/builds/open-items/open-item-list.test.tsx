import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import type { OpenItems } from "./api";
import { OpenItemList } from "./open-item-list";

afterEach(() => vi.unstubAllGlobals());

const ITEMS: OpenItems = {
  criteria: [
    {
      phase: 0,
      index: 1,
      text: "R-1 — person",
      requirement: "It greets.",
      evidence: null,
      confirmation: null,
    },
  ],
  weakened_tests: [{ number: 1, text: "tests/a.js:3: tests are skipped" }],
  findings: [{ id: "F-1", phase: 0, severity: "warning", text: "It has no comment." }],
  is_waiting: true,
  head_sha: "abc",
};

/** A server on which everything is open; returns the requests that settle something. */
function serving() {
  const sent: { path: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "POST") {
      const path = new URL(request.url).pathname.replace("/api/builds/b1/", "");
      sent.push({ path, body: await request.json() });
    }
    return Response.json(ITEMS);
  });
  return sent;
}

it("settles each kind of item with its reason", async () => {
  const sent = serving();
  renderWithCache(<OpenItemList buildId="b1" />);
  for (const action of ["Confirm", "Reject", "Accept", "Dismiss"]) {
    await userEvent.click(await screen.findByRole("button", { name: new RegExp(`^${action}`) }));
    const dialog = await screen.findByRole("dialog", { name: action });
    const button = within(dialog).getByRole("button", { name: action });
    expect(button.hasAttribute("disabled")).toBe(action !== "Confirm");
    await userEvent.type(within(dialog).getByRole("textbox"), "because");
    await userEvent.click(button);
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  }
  const note = "because";
  const head_sha = "abc";
  expect(sent).toEqual([
    { path: "criteria/0/1/confirm", body: { result: "confirmed", note, head_sha } },
    { path: "criteria/0/1/confirm", body: { result: "rejected", note, head_sha } },
    { path: "weakened-tests/1/clear", body: { reason: note, head_sha } },
    { path: "findings/F-1/dismiss", body: { reason: note } },
  ]);
});
