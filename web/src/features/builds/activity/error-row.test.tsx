import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { event } from "@/testing/events";
import { renderInApp } from "@/testing/render";
import { ErrorRow } from "./error-row";
import { groupRows } from "./group-rows";
import type { Row } from "./row";

it("shows a failing test as title and difference, and its output on demand", async () => {
  const message =
    "adds: expect(received).toBe(expected)\nExpected: 4\nReceived: 5\n  at a.js:1\n  at b.js:2";
  const [row] = groupRows([event(1, "build_error_tracked", { message })]);
  renderInApp(<ErrorRow row={row as Row & { kind: "error" }} />);
  expect(screen.getByText("adds")).toBeVisible();
  expect(screen.getAllByRole("definition").map((each) => each.textContent)).toEqual(["4", "5"]);
  expect(document.querySelector("pre")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Output" }));
  expect(document.querySelector("pre")?.textContent).toBe("  at a.js:1\n  at b.js:2");
});
