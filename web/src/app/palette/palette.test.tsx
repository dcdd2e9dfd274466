import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { keys } from "@/lib/query-keys";
import { renderWithClient } from "@/testing/render";
import Palette from "./palette";

afterEach(() => void vi.unstubAllGlobals());

it("keeps what was typed when the projects arrive", async () => {
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const client = renderWithClient(
    <MemoryRouter initialEntries={["/projects/shelf"]}>
      <Palette onClose={() => {}} />
    </MemoryRouter>,
    () => {},
  );
  const field = screen.getByRole("combobox");
  await userEvent.type(field, "shelf");
  act(() => {
    client.setQueryData(keys.projects, {
      items: [{ id: "p1", slug: "shelf", name: "Shelf", description: "Books" }],
    });
  });
  expect(await screen.findByRole("option", { name: /Shelf/ })).toBeVisible();
  expect(screen.getByRole("combobox")).toHaveValue("shelf");
});
