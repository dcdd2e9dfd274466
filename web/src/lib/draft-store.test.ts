import { beforeEach, expect, it } from "vitest";
import { createDraftStore } from "./draft-store";

const text = (value: unknown) => (typeof value === "string" ? value : null);
const open = (storage?: Storage) => createDraftStore("test", text, storage);

beforeEach(() => localStorage.clear());

it("returns a stored draft until it is cleared", () => {
  expect(open().read()).toBeNull();
  const earlier = open();
  expect(earlier.write("half a sen")).toBe(true);
  expect(earlier.write("half a sentence")).toBe(true);
  const later = open();
  expect(later.read()).toBe("half a sentence");
  later.clear();
  expect(open().read()).toBeNull();
});

it("does not clear a newer draft of another page", () => {
  const one = open();
  one.write("from one");
  open().write("from another");
  one.clear();
  expect(open().read()).toBe("from another");
});

it("ignores invalid values", () => {
  localStorage.setItem("forgeguard-draft::test", "{half");
  expect(open().read()).toBeNull();
  localStorage.setItem("forgeguard-draft::test", '{"not":"text"}');
  expect(open().read()).toBeNull();
});

it("returns false if the storage is full", () => {
  const full = {
    getItem: () => null,
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  } as unknown as Storage;
  expect(open(full).write("a")).toBe(false);
});
