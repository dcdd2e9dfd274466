import { expect, it } from "vitest";
import { type Box, layLines, type PlacedEntity, type Relation } from "./entity-lines";

/** Three boxes in a row, a fourth below the first. */
const at = (name: string, left: number, top: number, height: number): PlacedEntity => ({
  name,
  left,
  right: left + 200,
  top,
  bottom: top + height,
  headY: top + 15,
  fieldYs: [top + 45, top + 70],
});
const boxes = [
  at("a", 30, 24, 120),
  at("b", 286, 24, 90),
  at("c", 542, 24, 160),
  at("d", 30, 220, 90),
];
const WIDTH = 772;

const relation = (from: string, to: string, field = 0): Relation => ({
  from,
  field,
  to,
  optional: false,
});
const all = ["a", "b", "c", "d"].flatMap((from) =>
  ["a", "b", "c", "d"].map((to, index) => relation(from, to, index % 2)),
);

/** The corners of a path, without rounding. */
function corners(path: string): [number, number][] {
  const numbers = (text: string) => text.trim().split(" ").map(Number) as [number, number];
  return [...path.matchAll(/[MLQ]([-\d.]+ [-\d.]+)/g)].map(([, point]) => numbers(point ?? ""));
}

const crosses = (box: Box, [x1, y1]: [number, number], [x2, y2]: [number, number]) =>
  Math.max(x1, x2) > box.left &&
  Math.min(x1, x2) < box.right &&
  Math.max(y1, y2) > box.top &&
  Math.min(y1, y2) < box.bottom;

it("routes each line from its field to its entity around all boxes", () => {
  const lines = layLines(boxes, all, WIDTH);
  expect(lines).toHaveLength(16);
  for (const { path, from, field, to } of lines) {
    const points = corners(path);
    const [source, target] = [from, to].map((name) => boxes.find((box) => box.name === name));
    expect(points[0]?.[1]).toBe(source?.fieldYs[field]);
    expect(Math.abs((points.at(-1)?.[1] ?? 0) - (target?.headY ?? 99))).toBe(4);
    for (const [index, point] of points.slice(1).entries()) {
      const before = points[index] as [number, number];
      const crossed = boxes.filter((box) => crosses(box, before, point));
      expect(crossed, `${from} to ${to}: ${path}`).toEqual([]);
      expect(point[0]).toBeGreaterThan(0);
      expect(point[0]).toBeLessThan(WIDTH);
    }
  }
});

it("separates lines in the same gap", () => {
  const lines = layLines(boxes, [relation("a", "b"), relation("a", "b", 1)], WIDTH);
  const [one, other] = lines.map(({ path }) => corners(path)[2]?.[0]);
  expect(one).not.toBe(other);
});

it("omits entities that are not in the diagram", () => {
  expect(layLines(boxes, [relation("a", "x"), relation("a", "b", 7)], WIDTH)).toEqual([]);
  expect(layLines([], [], 0)).toEqual([]);
});
