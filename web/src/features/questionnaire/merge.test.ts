import { expect, it } from "vitest";
import type { Draft } from "./draft";
import { joined, mergeDrafts } from "./merge";

const draft = (answers: Draft["answers"], size: Draft["size"] = "full"): Draft => ({
  size,
  answers,
});

it("joins changes of different answers, and keeps the row that is being written", () => {
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

it("tells both answers where two windows changed the same one", () => {
  const { merged, clashes } = mergeDrafts(
    draft({ "a.b": "old", "a.c": "old" }),
    draft({ "a.b": "mine", "a.c": "alike" }, "mini"),
    draft({ "a.b": "theirs", "a.c": "alike" }),
  );
  expect(clashes).toEqual([{ key: "a.b", mine: "mine", theirs: "theirs" }]);
  expect(merged).toEqual({ size: "mini", answers: { "a.b": "mine", "a.c": "alike" } });
});

it("tells a clash also where one window took the answer away", () => {
  const { clashes } = mergeDrafts(
    draft({ "a.b": "old" }),
    draft({ "a.b": "" }),
    draft({ "a.b": "theirs" }),
  );
  expect(clashes).toEqual([{ key: "a.b", mine: undefined, theirs: "theirs" }]);
});

it("puts two answers into one where there is room for both", () => {
  const clash = (mine: string | string[] | undefined, theirs: string | string[]) => ({
    key: "a.b",
    mine,
    theirs,
  });
  expect(joined(clash("mine\n", "theirs"), false)).toBe("mine\n\ntheirs");
  expect(joined(clash(["a", "b"], ["b", "c"]), false)).toEqual(["a", "b", "c"]);
  expect(joined(clash("mine", "theirs"), true)).toBeNull();
  expect(joined(clash(undefined, "theirs"), false)).toBeNull();
});
