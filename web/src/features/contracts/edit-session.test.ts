import { beforeEach, expect, it, vi } from "vitest";
import type { Contract } from "@/lib/api";
import { ApiError } from "@/lib/problem";
import { createEditSession, refusalOf } from "./edit-session";
import { unsavedStore } from "./unsaved";

const contract = (content: string, version: number): Contract => ({
  type: "stack",
  version,
  source: "project",
  format: "markdown",
  content,
  updated_at: null,
});
const refused = (content: string) =>
  new ApiError({ status: 422, title: "Invalid", fields: { content } });
const taken = () => new ApiError({ status: 409, title: "Conflict" });

function open(current = contract("old", 3)) {
  const save = vi.fn(async (content: string, version: number) => contract(content, version + 1));
  const fetch = vi.fn(async () => contract("theirs", 4));
  const session = createEditSession(current, { save, fetch, unsaved: unsavedStore("p", "stack") });
  return { save, fetch, session, state: () => session.store.getState() };
}

beforeEach(() => localStorage.clear());

it("saves over the version that the writer saw, and forgets the draft", async () => {
  const { save, session, state } = open();
  session.type("new");
  expect(await session.save()).toBe(true);
  expect(save).toHaveBeenCalledExactlyOnceWith("new", 3);
  expect(state()).toMatchObject({ text: "new", base: { version: 4 }, saving: false });
  expect(open(contract("new", 4)).state().text).toBe("new");
  expect(unsavedStore("p", "stack").read()).toBeNull();
});

it("goes on after a reload with what was typed", () => {
  open().session.type("half a sen");
  expect(open().state()).toMatchObject({ text: "half a sen", theirs: null });
});

it("shows text from before beside a version that came since", () => {
  open().session.type("mine");
  const later = open(contract("theirs", 4));
  expect(later.state()).toMatchObject({ text: "mine", theirs: { content: "theirs" } });
});

it("shows a refusal at its line and keeps the text", async () => {
  const { save, session, state } = open();
  save.mockRejectedValueOnce(refused("line 12: the layer `web` is there twice"));
  session.type("bad");
  expect(await session.save()).toBe(false);
  expect(state()).toMatchObject({
    text: "bad",
    refusal: { line: 12, reason: "the layer `web` is there twice" },
  });
  expect(open().state().text).toBe("bad");
});

it("keeps both texts when somebody else saved first, until one is chosen", async () => {
  const { save, session, state } = open();
  save.mockRejectedValueOnce(taken());
  session.type("mine");
  expect(await session.save()).toBe(false);
  expect(state()).toMatchObject({ text: "mine", theirs: { content: "theirs" } });
  expect(await session.save()).toBe(false);
  expect(save).toHaveBeenCalledTimes(1);
  expect(await session.keepMine("mine and theirs")).toBe(true);
  expect(save).toHaveBeenLastCalledWith("mine and theirs", 4);
});

it("goes on with the other text when asked", async () => {
  const { save, session, state } = open();
  save.mockRejectedValueOnce(taken());
  session.type("mine");
  await session.save();
  session.takeTheirs();
  expect(state()).toMatchObject({ text: "theirs", theirs: null, base: { version: 4 } });
});

it("keeps the text when the server does not answer", async () => {
  const { save, session, state } = open();
  save.mockRejectedValueOnce(new TypeError("failed to fetch"));
  session.type("mine");
  expect(await session.save()).toBe(false);
  expect(state()).toMatchObject({ text: "mine", saving: false });
  expect(state().error).not.toBeNull();
  expect(await session.save()).toBe(true);
});

it.each([
  ["line 3: no `name`", { line: 3, reason: "no `name`" }],
  ["use at most 200000 characters", { line: null, reason: "use at most 200000 characters" }],
])("reads %j", (said, refusal) => {
  expect(refusalOf(refused(said))).toEqual(refusal);
});
