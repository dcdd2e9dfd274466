import { beforeEach, expect, it } from "vitest";
import { createDraftStore } from "./draft-store";

const text = (value: unknown) => (typeof value === "string" ? value : null);
const open = (storage?: Storage) => createDraftStore("test", text, storage);

beforeEach(() => localStorage.clear());

it("gives a later page what an earlier one wrote, until it is cleared", () => {
  expect(open().read()).toBeNull();
  const earlier = open();
  expect(earlier.write("half a sen")).toBe(true);
  expect(earlier.write("half a sentence")).toBe(true);
  const later = open();
  expect(later.read()).toBe("half a sentence");
  later.clear();
  expect(open().read()).toBeNull();
});

it("leaves alone what another page has written since", () => {
  const one = open();
  one.write("from one");
  open().write("from another");
  one.clear();
  expect(open().read()).toBe("from another");
});

it("takes nothing that it cannot use", () => {
  localStorage.setItem("forgeguard-draft:test", "{half");
  expect(open().read()).toBeNull();
  localStorage.setItem("forgeguard-draft:test", '{"not":"text"}');
  expect(open().read()).toBeNull();
});

it("says so when the browser has no room", () => {
  const full = {
    getItem: () => null,
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  } as unknown as Storage;
  expect(open(full).write("a")).toBe(false);
});
