import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import { ErrorRow } from "./error-row";

it("keeps the line breaks of a failing test's output", () => {
  const message = "adds two numbers\n  expected 4\n    received 5";
  renderInApp(<ErrorRow at="2026-11-21T20:25:00.000Z" payload={{ message }} />);
  expect(screen.getByText("adds two numbers")).toBeVisible();
  expect(document.querySelector("pre")?.textContent).toBe("  expected 4\n    received 5");
});
