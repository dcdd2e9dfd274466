import { describe, expect, it } from "vitest";
import { KeyReader, keyCaps, type Stroke, strokeOf } from "./key-reader";

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

function read(...strokes: Stroke[]) {
  const reader = new KeyReader();
  return strokes.map((each) => reader.read(each, BINDINGS));
}

describe("KeyReader", () => {
  it("knows single strokes, with Ctrl and with Command", () => {
    expect(read(stroke("?"))).toEqual(["?"]);
    expect(read(stroke("k", { ctrlKey: true }), stroke("K", { metaKey: true }))).toEqual([
      "mod+k",
      "mod+k",
    ]);
    expect(read(stroke("k"))).toEqual([null]);
  });

  it("knows two strokes one after the other", () => {
    expect(read(stroke("g"), stroke("p"))).toEqual(["begun", "g p"]);
    expect(read(stroke("g"), stroke("g"), stroke("c"))).toEqual(["begun", "begun", "g c"]);
  });

  it("takes a stroke for itself where the pair means nothing, or came too late", () => {
    expect(read(stroke("g"), stroke("1"))).toEqual(["begun", "1"]);
    expect(read(stroke("g"), stroke("p", { timeStamp: 2_000 }))).toEqual(["begun", "p"]);
  });

  it("leaves Alt alone, and does not lose its place by Shift", () => {
    expect(strokeOf(stroke("p", { altKey: true }))).toBeNull();
    expect(read(stroke("g"), stroke("Shift"), stroke("p"))).toEqual(["begun", null, "g p"]);
  });

  it("reads other alphabets by the place of the key", () => {
    expect(read(stroke("п", { code: "KeyG" }), stroke("з", { code: "KeyP" }))).toEqual([
      "begun",
      "g p",
    ]);
  });
});

it("names keys as they are printed", () => {
  expect(keyCaps("g p")).toEqual(["g", "p"]);
  expect(keyCaps("mod+k").at(-1)).toBe("K");
});
