import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Build } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { BuildActions } from "./build-actions";

const DETAIL = "its rounds for this phase are used up: resume it with more rounds";

/** Rejects a resume that adds nothing, as the server does, and records the requests. */
function serve() {
  const added: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (request) => {
    const { add } = await (request as Request).json();
    added.push(add ?? null);
    return add
      ? Response.json({ seq: 1 }, { status: 202 })
      : Response.json({ status: 409, title: "Conflict", detail: DETAIL }, { status: 409 });
  });
  return added;
}

async function resume(blocked_reason: string) {
  const added = serve();
  const user = userEvent.setup();
  const build = { id: "b1", status: "blocked", blocked_reason } as Build;
  renderWithCache(<BuildActions build={build} />);
  await user.click(screen.getByRole("button", { name: /^(Resume|Raise limit)$/ }));
  const dialog = await screen.findByRole("dialog", { name: "Resume build" });
  return { added, user, dialog, within: within(dialog) };
}

it("requires an increase of the exhausted limit", async () => {
  const { added, user, within } = await resume("minutes");
  const button = within.getByRole("button", { name: "Resume" });
  expect(button).toBeDisabled();
  await user.type(within.getByRole("textbox", { name: "Working time (minutes)" }), "30");
  await user.click(button);
  await waitFor(() =>
    expect(added).toEqual([{ iterations: 0, minutes: 30, tokens: 0, usd_micros: 0 }]),
  );
});

it("opens when a build that is blocked for another reason has exhausted a limit too", async () => {
  const { added, user, dialog, within } = await resume("fix_attempts");
  expect(within.getByRole("alert")).toHaveTextContent(DETAIL);
  expect(within.getByRole("button", { name: "Resume" })).toBeDisabled();
  await user.type(within.getByRole("textbox", { name: "Rounds per phase" }), "2");
  await user.click(within.getByRole("button", { name: "Resume" }));
  await waitFor(() => expect(dialog).not.toBeVisible());
  expect(added).toEqual([null, { iterations: 2, minutes: 0, tokens: 0, usd_micros: 0 }]);
});
