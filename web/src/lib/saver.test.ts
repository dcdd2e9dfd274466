import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "./problem";
import { createSaver, isTransient, SAVE_AFTER_MS, type Unsaved } from "./saver";

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
  const saver = createSaver<string, Page>(
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

it("saves nothing when what was typed is taken back", async () => {
  const { save, saver, state } = setUp();
  saver.type("a");
  saver.type("");
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
  expect(save).not.toHaveBeenCalled();
  expect(state().status).toBe("saved");
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

it("keeps both texts in a conflict, and saves one over theirs only when asked", async () => {
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
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
  expect(save).toHaveBeenCalledTimes(1);
  await saver.settle("both");
  expect(save).toHaveBeenLastCalledWith("both", 7);
  expect(state()).toMatchObject({ status: "saved", draft: "both", theirs: null });
});

it("takes the other text when asked", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  saver.type("mine");
  await saver.flush();
  saver.takeTheirs();
  expect(state()).toMatchObject({ status: "saved", draft: "theirs" });
});

it("joins two texts that can be joined, and saves them over the newer version", async () => {
  const { save, merge, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  merge.mockReturnValueOnce("mine and theirs");
  saver.type("mine");
  await saver.flush();
  expect(merge).toHaveBeenCalledWith("", "mine", "theirs");
  expect(save).toHaveBeenLastCalledWith("mine and theirs", 7);
  expect(state()).toMatchObject({ status: "saved", draft: "mine and theirs" });
});

it("asks no server for ever that calls its own version old", async () => {
  const { save, fetch, saver, state } = setUp();
  save.mockRejectedValue(taken());
  fetch.mockResolvedValue(page("", 0));
  saver.type("mine");
  await saver.flush();
  expect(save).toHaveBeenCalledTimes(1);
  expect(state().status).toBe("failed");
});

it("keeps the text when the server does not answer", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new TypeError("failed to fetch"));
  saver.type("a");
  await saver.flush();
  expect(state()).toMatchObject({ status: "failed", draft: "a", kept: true });
  await saver.flush();
  expect(state()).toMatchObject({ status: "saved", error: null });
});

it("keeps each text beyond the page until it is saved", async () => {
  const { keep, saver } = setUp();
  saver.type("a");
  saver.type("ab");
  await saver.flush();
  expect(keep.mock.calls.map(([draft]) => draft)).toEqual(["a", "ab", null]);
});

it("goes on with text from before, over the version that it was typed into", async () => {
  const { save, saver, state } = setUp({ draft: "from before", base: page("old", 3) });
  expect(state()).toMatchObject({ status: "waiting", draft: "from before" });
  await saver.flush();
  expect(save).toHaveBeenCalledExactlyOnceWith("from before", 3);
});

it("leaves what is typed alone when something else is refused", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(new ApiError({ status: 422, title: "Too long" }));
  await expect(saver.submit("imported")).rejects.toThrow("Too long");
  expect(state()).toMatchObject({ status: "saved", draft: "" });
  await saver.submit("imported");
  expect(state()).toMatchObject({ status: "saved", draft: "imported", saved: { version: 1 } });
});

it("takes in what is newer, and nothing while something is being typed", () => {
  const { saver, state } = setUp();
  saver.offer(page("newer", 2));
  expect(state().draft).toBe("newer");
  saver.offer(page("older", 1));
  expect(state().draft).toBe("newer");
  saver.type("mine");
  saver.offer(page("newest", 3));
  expect(state()).toMatchObject({ draft: "mine", saved: { version: 2 } });
});

it("tries again by itself only where that may help", () => {
  expect(isTransient(new TypeError("failed to fetch"))).toBe(true);
  expect(isTransient(new ApiError({ status: 503 }))).toBe(true);
  expect(isTransient(new ApiError({ status: 422 }))).toBe(false);
});
