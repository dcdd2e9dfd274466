import { describe, expect, it } from "vitest";
import { fuzzy } from "./fuzzy";

const best = (query: string, texts: string[]) =>
  texts
    .flatMap((text) => {
      const match = fuzzy(query, text);
      return match ? [{ text, score: match.score }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);

describe("fuzzy", () => {
  it.each([
    ["contr", ["Generate contracts", "Sign out"], "Generate contracts"],
    ["bd", ["Boundaries", "Builder directive"], "Builder directive"],
    ["so", ["Show seal", "Sign out"], "Sign out"],
    ["contracts generate", ["Go to contracts", "Generate contracts"], "Generate contracts"],
    ["seal", ["Show seal", "Show the settings and later"], "Show seal"],
    ["acc", ["Show Activity", "Go to your account"], "Go to your account"],
  ])("%s means the one", (query, texts, meant) => {
    expect(best(query, texts)[0]).toBe(meant);
  });

  it("returns null if a character is missing or matches are scattered", () => {
    expect(fuzzy("zz", "Projects")).toBeNull();
    expect(fuzzy("xhn", "a text that keeps going and going without any end")).toBeNull();
  });

  it("returns the matched positions", () => {
    expect(fuzzy("sign", "Sign out")?.at).toEqual([0, 1, 2, 3]);
    expect(fuzzy("so", "Sign out")?.at).toEqual([0, 5]);
    expect(fuzzy("", "Sign out")?.at).toEqual([]);
  });
});
