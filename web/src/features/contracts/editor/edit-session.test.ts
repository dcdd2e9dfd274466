import { beforeEach, expect, it, vi } from "vitest";
import type { Contract } from "@/lib/api";
import { ApiError } from "@/lib/api-error";
import { createEditSession, validationErrorOf } from "./edit-session";
import { unsavedStore } from "./unsaved-edits";

const contract = (content: string, version: number): Contract => ({
  type: "stack",
  version,
  source: "project",
  format: "markdown",
  content,
  gap_count: 0,
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

it("saves over the edited version and removes the draft", async () => {
  const { save, session, state } = open();
  session.type("new");
  expect(await session.save()).toBe(true);
  expect(save).toHaveBeenCalledExactlyOnceWith("new", 3);
  expect(state()).toMatchObject({ text: "new", base: { version: 4 }, saving: false });
  expect(open(contract("new", 4)).state().text).toBe("new");
  expect(unsavedStore("p", "stack").read()).toBeNull();
});

it("restores unsaved text after a reload", () => {
  open().session.type("half a sen");
  expect(open().state()).toMatchObject({ text: "half a sen", theirs: null });
});

it("reports a conflict if the contract changed since the draft was stored", () => {
  open().session.type("mine");
  const later = open(contract("theirs", 4));
  expect(later.state()).toMatchObject({ text: "mine", theirs: { content: "theirs" } });
});

it("shows a validation error at its line and keeps the text", async () => {
  const { save, session, state } = open();
  save.mockRejectedValueOnce(refused("line 12: the layer `web` is there twice"));
  session.type("bad");
  expect(await session.save()).toBe(false);
  expect(state()).toMatchObject({
    text: "bad",
    validationError: { line: 12, reason: "the layer `web` is there twice" },
  });
  expect(open().state().text).toBe("bad");
});

it("keeps both texts until a conflict is resolved", async () => {
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

it("continues with the other version on request", async () => {
  const { save, session, state } = open();
  save.mockRejectedValueOnce(taken());
  session.type("mine");
  await session.save();
  session.takeTheirs();
  expect(state()).toMatchObject({ text: "theirs", theirs: null, base: { version: 4 } });
});

it("keeps the text if the server does not respond", async () => {
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
])("reads %j", (said, validationError) => {
  expect(validationErrorOf(refused(said))).toEqual(validationError);
});
