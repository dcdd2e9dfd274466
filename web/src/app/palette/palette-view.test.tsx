import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import type { PaletteItem } from "./palette-items";
import { PaletteView } from "./palette-view";
import { findItems } from "./search-items";

const items = (start: () => void): PaletteItem[] => [
  { key: "a", kind: "action", label: "Start build", to: start },
  { key: "g", kind: "go", label: "Go to contracts", keys: "g c", to: "/c" },
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
  it("returns all items in order for an empty query", () => {
    expect(labels(" ")).toEqual([
      ["Start build"],
      ["Go to contracts"],
      ["Physics", "UI"],
      ["Start-up notes"],
    ]);
  });

  it("ranks label matches before matches in details and groups", () => {
    expect(labels("contracts")).toEqual([["Go to contracts"], ["Physics", "UI"]]);
    expect(labels("api")).toEqual([["Physics"]]);
    expect(labels("zzz")).toEqual([]);
  });
});

describe("PaletteView", () => {
  it("works with the keyboard alone and announces the selection", async () => {
    const start = vi.fn();
    const close = vi.fn();
    renderWithCache(<PaletteView items={items(start)} onClose={close} />);
    const field = screen.getByRole("combobox", { name: "Search or jump to" });
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

  it("says so when there are no results", async () => {
    renderWithCache(<PaletteView items={items(() => {})} onClose={() => {}} />);
    await userEvent.type(screen.getByRole("combobox"), "qqq{Enter}");
    expect(screen.queryByRole("option")).toBeNull();
    expect(screen.getByRole("status")).toHaveTextContent("No results for “qqq”");
  });
});
