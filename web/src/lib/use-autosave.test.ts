import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "./api-error";
import { createDraftSaver } from "./draft-saver";
import { isTransient, SAVE_DELAY_MS, useAutosave } from "./use-autosave";

interface Page {
  content: string;
  version: number;
}

function setUp() {
  const save = vi.fn(async (content: string, version: number) => ({
    content,
    version: version + 1,
  }));
  const saver = createDraftSaver<string, Page>(
    { content: "", version: 0 },
    {
      draftOf: (page) => page.content,
      same: (one, other) => one === other,
      save,
      fetch: async () => ({ content: "theirs", version: 7 }),
    },
  );
  const { result, unmount } = renderHook(() => useAutosave(saver));
  return {
    save,
    unmount,
    state: () => result.current,
    type: (text: string) => act(() => saver.type(text)),
    flush: () => saver.flush(),
  };
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("saves once, half a second after the last change", async () => {
  const { save, type, state } = setUp();
  type("a");
  await pass(SAVE_DELAY_MS - 1);
  type("ab");
  await pass(SAVE_DELAY_MS - 1);
  expect(save).not.toHaveBeenCalled();
  await pass(1);
  expect(save).toHaveBeenCalledExactlyOnceWith("ab", 0);
  expect(state()).toMatchObject({ status: "saved", saved: { version: 1 } });
});

it("saves changes made while saving", async () => {
  const { save, type, flush } = setUp();
  type("a");
  const first = flush();
  type("ab");
  await act(() => first);
  await pass(SAVE_DELAY_MS);
  expect(save.mock.calls).toEqual([
    ["a", 0],
    ["ab", 1],
  ]);
});

it("saves what was typed last when the page is left while saving", async () => {
  const { save, type, flush, unmount } = setUp();
  type("a");
  void flush();
  type("ab");
  unmount();
  await pass(0);
  expect(save).toHaveBeenLastCalledWith("ab", 1);
});

it("does not save during a conflict", async () => {
  const { save, type, state } = setUp();
  save.mockRejectedValueOnce(new ApiError({ status: 409, title: "Conflict" }));
  type("mine");
  await pass(SAVE_DELAY_MS);
  expect(state()).toMatchObject({ status: "conflict", theirs: { content: "theirs" } });
  type("mine!");
  await pass(SAVE_DELAY_MS);
  expect(save).toHaveBeenCalledTimes(1);
});

it("retries only transient errors", () => {
  expect(isTransient(new TypeError("failed to fetch"))).toBe(true);
  expect(isTransient(new ApiError({ status: 503 }))).toBe(true);
  expect(isTransient(new ApiError({ status: 422 }))).toBe(false);
});
