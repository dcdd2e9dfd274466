import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { INHERITED_LIMITS } from "@/domain/budget-limits";
import { renderWithCache } from "@/testing/render";
import { StartBuild } from "./start-build";

const budgets = {
  iterations: 10,
  minutes: 120,
  tokens: null,
  usd_micros: 5_000_000,
  clarifications: 10,
  doom_loop: 3,
};
const obstacle = { kind: "model", message: "No model is configured: set ANTHROPIC_API_KEY." };

/** Serves readiness and records the posted builds. */
function serve(obstacles: object[]) {
  const posted: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "POST") {
      posted.push(await request.json());
      return Response.json({ id: "b1" }, { status: 201 });
    }
    const ready = { budgets, installation_budgets: budgets, model: "m-1", obstacles };
    return Response.json(ready);
  });
  renderWithCache(<StartBuild projectId="p1" />);
  return posted;
}
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

it("starts a build immediately if nothing prevents it", async () => {
  const posted = serve([]);
  await press("Start build");
  await waitFor(() => expect(posted).toEqual([{ budgets: INHERITED_LIMITS }]));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("shows what prevents the build and does not start it", async () => {
  const posted = serve([obstacle]);
  await press("Start build");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  expect(await within(dialog).findByText(/set ANTHROPIC_API_KEY/)).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Start build" })).toBeDisabled();
  expect(posted).toEqual([]);
});

it("starts a build with the given limits", async () => {
  const posted = serve([]);
  await press("Set limits");
  const dialog = await screen.findByRole("dialog", { name: "Start build" });
  const dollars = await within(dialog).findByRole("textbox", { name: "US dollars" });
  expect(dollars).toHaveAttribute("placeholder", "Inherited: 5");
  await userEvent.type(dollars, "2.5");
  await userEvent.click(
    within(dialog).getByRole("checkbox", { name: "No limit: Working time (minutes)" }),
  );
  await userEvent.click(within(dialog).getByRole("button", { name: "Start build" }));
  await waitFor(() =>
    expect(posted).toEqual([
      { budgets: { ...INHERITED_LIMITS, usd_micros: 2_500_000, minutes: "unlimited" } },
    ]),
  );
});
