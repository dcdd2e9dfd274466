import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { findItems } from "./find-items";
import type { PaletteItem } from "./palette-items";
import { PaletteView } from "./palette-view";

const items = (start: () => void): PaletteItem[] => [
  { key: "a", kind: "action", label: "Start a build", to: start },
  { key: "g", kind: "go", label: "Go to the contracts", keys: "g c", to: "/c" },
  { key: "c1", kind: "contract", label: "Physics", detail: "The API", to: "/c/physics" },
  { key: "c2", kind: "contract", label: "UI", detail: "Screens", to: "/c/ui" },
  { key: "p", kind: "project", label: "Start-up notes", to: "/p" },
];

const labels = (query: string) =>
  findItems(
    query,
    items(() => {}),
  ).map(({ items }) => items.map(({ label }) => label));

describe("findItems", () => {
  it("shows everything while nothing is asked, in its order", () => {
    expect(labels(" ")).toEqual([
      ["Start a build"],
      ["Go to the contracts"],
      ["Physics", "UI"],
      ["Start-up notes"],
    ]);
  });

  it("puts what is called so before what is about it and what is of that kind", () => {
    expect(labels("contracts")).toEqual([["Go to the contracts"], ["Physics", "UI"]]);
    expect(labels("api")).toEqual([["Physics"]]);
    expect(labels("zzz")).toEqual([]);
  });
});

describe("PaletteView", () => {
  it("is used with the keyboard alone, and says what is chosen", async () => {
    const start = vi.fn();
    const close = vi.fn();
    renderWithCache(<PaletteView items={items(start)} onClose={close} />);
    const field = screen.getByRole("combobox", { name: "Find anything" });
    await userEvent.type(field, "start");
    const [first, second] = screen.getAllByRole("option");
    expect(first).toHaveAttribute("aria-selected", "true");
    expect(field).toHaveAttribute("aria-activedescendant", first?.id);
    await userEvent.type(field, "{ArrowDown}");
    expect(second).toHaveAttribute("aria-selected", "true");
    await userEvent.type(field, "{ArrowDown}{Enter}");
    expect(start).toHaveBeenCalledOnce();
    expect(close).toHaveBeenCalledOnce();
  });

  it("says so when nothing is found", async () => {
    renderWithCache(<PaletteView items={items(() => {})} onClose={() => {}} />);
    await userEvent.type(screen.getByRole("combobox"), "qqq{Enter}");
    expect(screen.queryByRole("option")).toBeNull();
    expect(screen.getByRole("status")).toHaveTextContent("Nothing here is called “qqq”");
  });
});
