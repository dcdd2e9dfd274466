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
    ["contr", ["Write the contracts", "Sign out"], "Write the contracts"],
    ["bd", ["Boundaries", "Builder directive"], "Builder directive"],
    ["so", ["Show the seal", "Sign out"], "Sign out"],
    ["contracts write", ["Go to the contracts", "Write the contracts"], "Write the contracts"],
    ["seal", ["Show the seal", "Show the settings and later"], "Show the seal"],
    ["acc", ["Show Activity", "Go to your account"], "Go to your account"],
  ])("%s means the one", (query, texts, meant) => {
    expect(best(query, texts)[0]).toBe(meant);
  });

  it("finds nothing where a letter is missing, or all are scattered by chance", () => {
    expect(fuzzy("zz", "Projects")).toBeNull();
    expect(fuzzy("xhn", "a text that goes on and on without a care in the world")).toBeNull();
  });

  it("says where the letters are", () => {
    expect(fuzzy("sign", "Sign out")?.at).toEqual([0, 1, 2, 3]);
    expect(fuzzy("so", "Sign out")?.at).toEqual([0, 5]);
    expect(fuzzy("", "Sign out")?.at).toEqual([]);
  });
});
