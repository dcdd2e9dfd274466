import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Notepad } from "@/lib/api";
import { ApiError } from "@/lib/problem";
import { createNotepadSaver, SAVE_AFTER_MS } from "./notepad-saver";

const pad = (content: string, version: number): Notepad => ({ content, version, updated_at: null });

function setUp() {
  const save = vi.fn(async (content: string, version: number) => pad(content, version + 1));
  const fetch = vi.fn(async () => pad("theirs", 7));
  const saver = createNotepadSaver(pad("", 0), { save, fetch });
  return { save, fetch, saver, state: () => saver.store.getState() };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("saves once, half a second after the last key", async () => {
  const { save, saver, state } = setUp();
  saver.type("a");
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS - 1);
  saver.type("ab");
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS - 1);
  expect(save).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(save).toHaveBeenCalledExactlyOnceWith("ab", 0);
  expect(state()).toMatchObject({ status: "saved", saved: { version: 1 } });
});

it("saves at once when the field is left, and not again", async () => {
  const { save, saver } = setUp();
  saver.type("a");
  await saver.flush();
  await saver.flush();
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
  expect(save).toHaveBeenCalledTimes(1);
});

it("saves what was typed while it saved", async () => {
  const { save, saver } = setUp();
  saver.type("a");
  const first = saver.flush();
  saver.type("ab");
  await first;
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
  expect(save.mock.calls).toEqual([
    ["a", 0],
    ["ab", 1],
  ]);
});

it("keeps both texts in a conflict, and saves mine over theirs only when asked", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new ApiError({ status: 409, title: "Conflict" }));
  saver.type("mine");
  await saver.flush();
  expect(state()).toMatchObject({
    status: "conflict",
    text: "mine",
    theirs: { content: "theirs" },
  });
  saver.type("mine!");
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
  expect(save).toHaveBeenCalledTimes(1);
  await saver.keepMine();
  expect(save).toHaveBeenLastCalledWith("mine!", 7);
  expect(state()).toMatchObject({ status: "saved", theirs: null });
});

it("takes the other text when asked", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new ApiError({ status: 409, title: "Conflict" }));
  saver.type("mine");
  await saver.flush();
  saver.takeTheirs();
  expect(state()).toMatchObject({ status: "saved", text: "theirs" });
});

it("keeps the text when the server does not answer", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new TypeError("failed to fetch"));
  saver.type("a");
  await saver.flush();
  expect(state()).toMatchObject({ status: "failed", text: "a" });
  await saver.flush();
  expect(state().status).toBe("saved");
});
