import { expect, it, vi } from "vitest";
import { ApiError } from "./api-error";
import { createDraftSaver, type Unsaved } from "./draft-saver";

interface Page {
  content: string;
  version: number;
}
const page = (content: string, version: number): Page => ({ content, version });
const taken = () => new ApiError({ status: 409, title: "Conflict" });

function setUp(unsaved: Unsaved<string, Page> | null = null, loaded = page("", 0)) {
  const save = vi.fn(async (content: string, version: number) => page(content, version + 1));
  const fetch = vi.fn(async () => page("theirs", 7));
  const keep = vi.fn((_draft: string | null) => true);
  const merge = vi.fn((_base: string, _mine: string, _theirs: string): string | null => null);
  const saver = createDraftSaver<string, Page>(
    loaded,
    { draftOf: (of) => of.content, same: (a, b) => a === b, save, fetch, keep, merge },
    unsaved,
  );
  return { save, fetch, keep, merge, saver, state: () => saver.store.getState() };
}

it("saves over the edited version", async () => {
  const { save, saver, state } = setUp();
  saver.type("a");
  expect(await saver.flush()).toBe(true);
  expect(await saver.flush()).toBe(true);
  expect(save).toHaveBeenCalledExactlyOnceWith("a", 0);
  expect(state()).toMatchObject({ status: "saved", saved: { version: 1 } });
});

it("does not save if changes are undone", async () => {
  const { save, saver } = setUp();
  saver.type("a");
  saver.type("");
  expect(await saver.flush()).toBe(true);
  expect(save).not.toHaveBeenCalled();
});

it("saves changes made while saving once the first save is done", async () => {
  const { save, saver } = setUp();
  saver.type("a");
  const first = saver.flush();
  saver.type("ab");
  expect(await saver.flush()).toBe(true);
  await first;
  expect(save.mock.calls).toEqual([
    ["a", 0],
    ["ab", 1],
  ]);
});

it("keeps both versions in a conflict and overwrites only on request", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  saver.type("mine");
  expect(await saver.flush()).toBe(false);
  expect(state()).toMatchObject({
    status: "conflict",
    draft: "mine",
    theirs: { content: "theirs" },
  });
  saver.type("mine!");
  expect(await saver.flush()).toBe(false);
  expect(save).toHaveBeenCalledTimes(1);
  expect(await saver.resolve("both")).toBe(true);
  expect(save).toHaveBeenLastCalledWith("both", 7);
  expect(state()).toMatchObject({ status: "saved", draft: "both", theirs: null });
});

it("has no conflict if the other version is equal", async () => {
  const { save, saver, state } = setUp();
  save.mockRejectedValueOnce(taken());
  saver.type("theirs");
  expect(await saver.flush()).toBe(true);
  expect(save).toHaveBeenCalledTimes(1);
  expect(state()).toMatchObject({ status: "saved", saved: { version: 7 } });
});

it("discards the draft on request", async () => {
  const { save, keep, saver, state } = setUp();
  saver.type("mine");
  saver.discard();
  expect(state()).toMatchObject({ status: "saved", draft: "" });
  save.mockRejectedValueOnce(taken());
  saver.type("mine");
  await saver.flush();
  saver.discard();
  expect(state()).toMatchObject({ status: "saved", draft: "theirs" });
  expect(keep).toHaveBeenLastCalledWith(null, page("theirs", 7));
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
  expect(await saver.flush()).toBe(false);
  expect(state()).toMatchObject({ status: "failed", draft: "a", kept: true });
  expect(await saver.flush()).toBe(true);
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
  expect(state()).toMatchObject({ status: "unsaved", draft: "from before" });
  await saver.flush();
  expect(save).toHaveBeenCalledExactlyOnceWith("from before", 3);
});

it("reports a conflict if the resource changed since the draft was stored", () => {
  const { state } = setUp({ draft: "mine", base: page("old", 3) }, page("theirs", 4));
  expect(state()).toMatchObject({
    status: "conflict",
    draft: "mine",
    theirs: { content: "theirs" },
  });
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
