import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { hasUnsavedChanges } from "@/lib/unsaved-changes";
import { renderInApp } from "@/testing/render";
import { FormModal } from "./form-modal";

const onClose = vi.fn();

beforeEach(() => {
  onClose.mockClear();
  renderInApp(
    <FormModal opened onClose={onClose} title="Add webhook">
      <form onSubmit={(event) => event.preventDefault()}>
        <input aria-label="URL" />
        <button type="submit">Add</button>
      </form>
    </FormModal>,
  );
});

it("closes at once if nothing was typed", async () => {
  await userEvent.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledOnce();
});

it("asks before it closes, and keeps what was typed", async () => {
  const url = screen.getByLabelText("URL");
  await userEvent.type(url, "https://");
  expect(hasUnsavedChanges()).toBe(true);
  await userEvent.keyboard("{Escape}");
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(await screen.findByRole("button", { name: "Keep writing" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Discard" })).toBeNull());
  expect(url).toHaveValue("https://");

  await userEvent.keyboard("{Escape}");
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
  expect(onClose).toHaveBeenCalledOnce();
});

it("does not hold up what a sent form leads to", async () => {
  await userEvent.type(screen.getByLabelText("URL"), "https://");
  await userEvent.click(screen.getByRole("button", { name: "Add" }));
  expect(hasUnsavedChanges()).toBe(false);
});
