import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderInApp } from "@/testing/render";
import { LimitedList } from "./limited-list";

it("shows more items on demand, and how many there are", async () => {
  const items = Array.from({ length: 60 }, (_, index) => `item ${index}`);
  renderInApp(
    <LimitedList items={items}>
      {(shown) => shown.map((item) => <p key={item}>{item}</p>)}
    </LimitedList>,
  );
  const more = screen.getByRole("button", { name: "Show more" });
  expect(screen.getAllByText(/^item/)).toHaveLength(25);
  expect(screen.getByText("25 of 60")).toBeVisible();
  await userEvent.click(more);
  await userEvent.click(more);
  expect(screen.getAllByText(/^item/)).toHaveLength(60);
  expect(more).not.toBeInTheDocument();
});
