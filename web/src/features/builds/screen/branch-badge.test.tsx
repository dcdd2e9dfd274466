import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import { BranchBadge } from "./branch-badge";

const LONG = "forge/build-12-import-the-invoices-of-the-mailbox";

it("shortens long names in the middle, with the whole name in a tooltip", async () => {
  renderInApp(<BranchBadge branch={LONG} status={null} />);
  await userEvent.hover(screen.getByText("forge/build-12-import-t…s-of-the-mailbox"));
  expect(await screen.findByRole("tooltip")).toHaveTextContent(LONG);
});

it("shows short names as they are", () => {
  renderInApp(<BranchBadge branch="forge/build-12-due-dates" status="sealed" />);
  expect(screen.getByText("forge/build-12-due-dates")).toBeVisible();
});
