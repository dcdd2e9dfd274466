import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "./api-error";
import { createAutosave, isTransient, SAVE_DELAY_MS, type Unsaved } from "./autosave";

interface Page {
  content: string;
  version: number;
}
const page = (content: string, version: number): Page => ({ content, version });
const taken = () => new ApiError({ status: 409, title: "Conflict" });

function setUp(unsaved: Unsaved<string, Page> | null = null) {
  const save = vi.fn(async (content: string, version: number) => page(content, version + 1));
  const fetch = vi.fn(async () => page("theirs", 7));
  const keep = vi.fn((_draft: string | null) => true);
  const merge = vi.fn((_base: string, _mine: string, _theirs: string): string | null => null);
  const saver = createAutosave<string, Page>(
    page("", 0),
    { draftOf: (of) => of.content, same: (a, b) => a === b, save, fetch, keep, merge },
    unsaved,
  );
  return { save, fetch, keep, merge, saver, state: () => saver.store.getState() };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("saves once, half a second after the last change", async () => {
  const { save, saver, state } = setUp();
  saver.type("a");
  await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS - 1);
  saver.type("ab");
  await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS - 1);
  expect(save).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(save).toHaveBeenCalledExactlyOnceWith("ab", 0);
  expect(state()).toMatchObject({ status: "saved", saved: { version: 1 } });
});

it("saves once immediately on blur", async () => {
  const { save, saver } = setUp();
  saver.type("a");
  await saver.flush();
  await saver.flush();
  await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS);
  expect(save).toHaveBeenCalledTimes(1);
});

it("does not save if changes are undone", async () => {
  const { save, saver, state } = setUp();
  saver.type("a");
  saver.type("");
  await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS);
  expect(save).not.toHaveBeenCalled();
  expect(state().status).toBe("saved");
});

it("saves changes made while saving", async () => {
  const { save, saver } = setUp();
  saver.type("a");
  const first = saver.flush();
  saver.type("ab");
  await first;
  await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS);
  expect(save.mock.calls).toEqual([
    ["a", 0],
    ["ab", 1],
  ]);
});

it("keeps both versions in a conflict and overwrites only on request", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  saver.type("mine");
  await saver.flush();
  expect(state()).toMatchObject({
    status: "conflict",
    draft: "mine",
    theirs: { content: "theirs" },
  });
  saver.type("mine!");
  await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS);
  expect(save).toHaveBeenCalledTimes(1);
  await saver.resolve("both");
  expect(save).toHaveBeenLastCalledWith("both", 7);
  expect(state()).toMatchObject({ status: "saved", draft: "both", theirs: null });
});

it("discards the draft on request", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  saver.type("mine");
  await saver.flush();
  saver.discard();
  expect(state()).toMatchObject({ status: "saved", draft: "theirs" });
});

it("merges compatible changes and saves them over the newer version", async () => {
  const { save, merge, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  merge.mockReturnValueOnce("mine and theirs");
  saver.type("mine");
  await saver.flush();
  expect(merge).toHaveBeenCalledWith("", "mine", "theirs");
  expect(save).toHaveBeenLastCalledWith("mine and theirs", 7);
  expect(state()).toMatchObject({ status: "saved", draft: "mine and theirs" });
});

it("does not retry endlessly if the server rejects its own version", async () => {
  const { save, fetch, saver, state } = setUp();
  save.mockRejectedValue(taken());
  fetch.mockResolvedValue(page("", 0));
  saver.type("mine");
  await saver.flush();
  expect(save).toHaveBeenCalledTimes(1);
  expect(state().status).toBe("failed");
});

it("keeps the text if the server does not respond", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new TypeError("failed to fetch"));
  saver.type("a");
  await saver.flush();
  expect(state()).toMatchObject({ status: "failed", draft: "a", kept: true });
  await saver.flush();
  expect(state()).toMatchObject({ status: "saved", error: null });
});

it("stores unsaved text in the browser until it is saved", async () => {
  const { keep, saver } = setUp();
  saver.type("a");
  saver.type("ab");
  await saver.flush();
  expect(keep.mock.calls.map(([draft]) => draft)).toEqual(["a", "ab", null]);
});

it("continues with a stored draft, based on its version", async () => {
  const { save, saver, state } = setUp({ draft: "from before", base: page("old", 3) });
  expect(state()).toMatchObject({ status: "waiting", draft: "from before" });
  await saver.flush();
  expect(save).toHaveBeenCalledExactlyOnceWith("from before", 3);
});

it("keeps the draft if another submission is rejected", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new ApiError({ status: 422, title: "Too long" }));
  await expect(saver.submit("imported")).rejects.toThrow("Too long");
  expect(state()).toMatchObject({ status: "saved", draft: "" });
  await saver.submit("imported");
  expect(state()).toMatchObject({ status: "saved", draft: "imported", saved: { version: 1 } });
});

it("uses newer versions unless there are unsaved changes", () => {
  const { saver, state } = setUp();
  saver.receive(page("newer", 2));
  expect(state().draft).toBe("newer");
  saver.receive(page("older", 1));
  expect(state().draft).toBe("newer");
  saver.type("mine");
  saver.receive(page("newest", 3));
  expect(state()).toMatchObject({ draft: "mine", saved: { version: 2 } });
});

it("retries only transient errors", () => {
  expect(isTransient(new TypeError("failed to fetch"))).toBe(true);
  expect(isTransient(new ApiError({ status: 503 }))).toBe(true);
  expect(isTransient(new ApiError({ status: 422 }))).toBe(false);
});
