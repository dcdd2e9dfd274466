import { expect, it } from "vitest";
import type { Draft } from "./draft";
import { combined, mergeDrafts } from "./merge";

const draft = (answers: Draft["answers"], size: Draft["size"] = "full"): Draft => ({
  size,
  answers,
});

it("merges changes of different answers, and keeps empty rows", () => {
  const base = draft({ "a.summary": "old", "a.gone": "x" });
  const mine = draft({ "a.summary": "mine", "a.gone": "x", "a.list": ["one", ""] });
  const theirs = draft({ "a.summary": "old", "b.users": "theirs" }, "mini");
  const { merged, clashes } = mergeDrafts(base, mine, theirs);
  expect(clashes).toEqual([]);
  expect(merged).toEqual({
    size: "mini",
    answers: { "a.summary": "mine", "a.list": ["one", ""], "b.users": "theirs" },
  });
});

it("reports a clash if both windows changed the same answer", () => {
  const { merged, clashes } = mergeDrafts(
    draft({ "a.b": "old", "a.c": "old" }),
    draft({ "a.b": "mine", "a.c": "alike" }, "mini"),
    draft({ "a.b": "theirs", "a.c": "alike" }),
  );
  expect(clashes).toEqual([{ key: "a.b", mine: "mine", theirs: "theirs" }]);
  expect(merged).toEqual({ size: "mini", answers: { "a.b": "mine", "a.c": "alike" } });
});

it("reports a clash if one window removed the answer", () => {
  const { clashes } = mergeDrafts(
    draft({ "a.b": "old" }),
    draft({ "a.b": "" }),
    draft({ "a.b": "theirs" }),
  );
  expect(clashes).toEqual([{ key: "a.b", mine: undefined, theirs: "theirs" }]);
});

it("combines two answers if their type allows it", () => {
  const clash = (mine: string | string[] | undefined, theirs: string | string[]) => ({
    key: "a.b",
    mine,
    theirs,
  });
  expect(combined(clash("mine\n", "theirs"), false)).toBe("mine\n\ntheirs");
  expect(combined(clash(["a", "b"], ["b", "c"]), false)).toEqual(["a", "b", "c"]);
  expect(combined(clash("mine", "theirs"), true)).toBeNull();
  expect(combined(clash(undefined, "theirs"), false)).toBeNull();
});
