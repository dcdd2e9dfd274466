import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { PanelBoundary } from "./panel-boundary";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

it("replaces only the panel that fails, until it is reloaded", async () => {
  let broken = true;
  function Panel() {
    if (broken) throw new TypeError("x is undefined");
    return <p>All is well</p>;
  }
  renderWithCache(
    <>
      <PanelBoundary what="usage">
        <Panel />
      </PanelBoundary>
      <p>Another panel</p>
    </>,
  );
  expect(screen.getByRole("heading")).toHaveTextContent("Could not show usage");
  expect(screen.getByText(/Error: x is undefined/)).toBeVisible();
  expect(screen.getByText("Another panel")).toBeVisible();

  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Copy details" }));
  expect(await navigator.clipboard.readText()).toMatch(/TypeError: x is undefined.*Panel.*Page:/s);

  broken = false;
  await user.click(screen.getByRole("button", { name: "Reload panel" }));
  expect(screen.getByText("All is well")).toBeVisible();
});

it("reloads the page if the panel's code could not be loaded", () => {
  function Panel(): never {
    throw new TypeError("Failed to fetch dynamically imported module: /assets/usage-1.js");
  }
  renderWithCache(
    <PanelBoundary what="usage">
      <Panel />
    </PanelBoundary>,
  );
  expect(screen.getByText(/A part of the page could not be loaded/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Reload page" })).toBeVisible();
});
