import { afterEach, describe, expect, it, vi } from "vitest";
import { KeySequenceReader, keyCaps, type Stroke, strokeOf } from "./key-sequence";

const BINDINGS = ["mod+k", "?", "g p", "g c", "p", "1"];

const stroke = (key: string, given: Partial<Stroke> = {}): Stroke => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  timeStamp: 0,
  ...given,
});

afterEach(() => vi.restoreAllMocks());

function read(...strokes: Stroke[]) {
  const reader = new KeySequenceReader();
  return strokes.map((each) => reader.read(each, BINDINGS));
}

describe("KeySequenceReader", () => {
  it("reads single keys", () => {
    expect(read(stroke("?"))).toEqual(["?"]);
    expect(read(stroke("k"))).toEqual([null]);
  });

  it.each([
    ["Linux x86_64", { ctrlKey: true }, "mod+k"],
    ["Linux x86_64", { metaKey: true }, null],
    ["MacIntel", { metaKey: true }, "mod+k"],
    ["MacIntel", { ctrlKey: true }, null],
  ])("leaves the other modifier to the platform: %s, %o", (platform, modifier, expected) => {
    vi.spyOn(navigator, "platform", "get").mockReturnValue(platform);
    expect(read(stroke("k", modifier))).toEqual([expected]);
    expect(read(stroke("K", modifier))).toEqual([expected]);
  });

  it("reads sequences of two keys", () => {
    expect(read(stroke("g"), stroke("p"))).toEqual(["begun", "g p"]);
    expect(read(stroke("g"), stroke("g"), stroke("c"))).toEqual(["begun", "begun", "g c"]);
  });

  it("reads the second key alone if the sequence is unknown or too slow", () => {
    expect(read(stroke("g"), stroke("1"))).toEqual(["begun", "1"]);
    expect(read(stroke("g"), stroke("p", { timeStamp: 2_000 }))).toEqual(["begun", "p"]);
  });

  it("ignores Alt, and keeps the sequence on Shift", () => {
    expect(strokeOf(stroke("p", { altKey: true }))).toBeNull();
    expect(read(stroke("g"), stroke("Shift"), stroke("p"))).toEqual(["begun", null, "g p"]);
  });

  it("reads keys of other alphabets by position", () => {
    expect(read(stroke("п", { code: "KeyG" }), stroke("з", { code: "KeyP" }))).toEqual([
      "begun",
      "g p",
    ]);
  });
});

it("formats key labels", () => {
  expect(keyCaps("g p")).toEqual(["g", "p"]);
  expect(keyCaps("mod+k").at(-1)).toBe("K");
});
