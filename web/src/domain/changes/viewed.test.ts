import { expect, it } from "vitest";
import { isViewed, viewedCount } from "./viewed";

const file = (path: string, content_id: string | null) => ({ path, content_id });

it("a file is viewed until its content changes", () => {
  const seen = new Map([["a.js", "1"]]);
  expect(isViewed(file("a.js", "1"), seen)).toBe(true);
  expect(isViewed(file("a.js", "2"), seen)).toBe(false);
  expect(isViewed(file("b.js", "1"), seen)).toBe(false);
  expect(isViewed(file("a.js", null), seen)).toBe(false);
  expect(viewedCount([file("a.js", "1"), file("b.js", "1")], seen)).toBe(1);
});
