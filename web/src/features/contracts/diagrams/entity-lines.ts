// Routes lines between entities along the gaps of the grid, never across a box.
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface PlacedEntity extends Box {
  name: string;
  /** The y position where lines end. */
  headY: number;
  /** The y positions where lines start, by field. */
  fieldYs: number[];
}

export interface Relation {
  from: string;
  field: number;
  to: string;
  optional: boolean;
}

export interface Line extends Relation {
  path: string;
  start: Point;
  /** The end point, and whether the line comes from the left. */
  end: Point;
  rightwards: boolean;
}

type Point = readonly [x: number, y: number];

const LANE = 7;
const CORNER = 6;
/** The distance between arrowhead and box. */
const TIP = 1;
/** The vertical distance between lines from the left and from the right. */
const ASIDE = 4;

/** `width` is that of the whole diagram. */
export function layLines(placed: PlacedEntity[], relations: Relation[], width: number): Line[] {
  const lefts = distinct(placed.map(({ left }) => left));
  const tops = distinct(placed.map(({ top }) => top));
  const columnOf = (box: Box) => nearest(lefts, box.left);
  const rowOf = (box: Box) => nearest(tops, box.top);
  const columns = lefts.map((_, at) => around(placed.filter((box) => columnOf(box) === at)));
  const rows = tops.map((_, at) => around(placed.filter((box) => rowOf(box) === at)));
  const byName = new Map(placed.map((entity) => [entity.name, entity]));

  // Lines that share a gap run side by side.
  const upright = lanes((gap) => [columns[gap - 1]?.right ?? 0, columns[gap]?.left ?? width]);
  const level = lanes((gap) => [rows[gap - 1]?.bottom ?? 0, rows[gap]?.top ?? 0]);

  const planned = relations.flatMap((relation) => {
    const [from, to] = [byName.get(relation.from), byName.get(relation.to)];
    const startY = from?.fieldYs[relation.field];
    if (!from || !to || startY === undefined) return [];
    const [out, into] = gapsBetween(columnOf(from), columnOf(to));
    const leavesRight = out > columnOf(from);
    const rightwards = into <= columnOf(to);
    const start: Point = [leavesRight ? from.right : from.left, startY];
    const end: Point = rightwards
      ? [to.left - TIP, to.headY + ASIDE]
      : [to.right + TIP, to.headY - ASIDE];
    const first = upright.take(out);
    const over = out === into ? null : { y: level.take(rowOf(to)), x: upright.take(into) };
    return { relation, start, end, rightwards, first, over };
  });

  return planned.map(({ relation, start, end, rightwards, first, over }) => {
    const points: Point[] = [start, [first(), start[1]]];
    if (over) points.push([first(), over.y()], [over.x(), over.y()], [over.x(), end[1]]);
    else points.push([first(), end[1]]);
    return { ...relation, start, end, rightwards, path: rounded([...points, end]) };
  });
}

/** Gap 0 is left of the first column. */
function gapsBetween(from: number, to: number): [out: number, into: number] {
  if (to > from) return [from + 1, to];
  if (to < from) return [from, to + 1];
  return [from + 1, from + 1];
}

/** Assigns positions within gaps once all lines are known. */
function lanes(edges: (gap: number) => [number, number]) {
  const counts = new Map<number, number>();
  return {
    take(gap: number): () => number {
      const lane = counts.get(gap) ?? 0;
      counts.set(gap, lane + 1);
      return () => {
        const [from, to] = edges(gap);
        const count = counts.get(gap) ?? 1;
        const step = Math.min(LANE, Math.max(0, to - from) / (count + 1));
        return Math.round(((from + to) / 2 + (lane - (count - 1) / 2) * step) * 2) / 2;
      };
    },
  };
}

/** Distinct positions, ignoring rounding. */
const distinct = (values: number[]): number[] =>
  values
    .toSorted((one, other) => one - other)
    .filter((value, at, sorted) => at === 0 || value - (sorted[at - 1] ?? value) > 2);

const nearest = (values: number[], value: number): number =>
  values.reduce(
    (best, each, at) =>
      Math.abs(each - value) < Math.abs((values[best] ?? 0) - value) ? at : best,
    0,
  );

const around = (boxes: Box[]): Box => ({
  left: Math.min(...boxes.map(({ left }) => left)),
  right: Math.max(...boxes.map(({ right }) => right)),
  top: Math.min(...boxes.map(({ top }) => top)),
  bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
});

/** A path with rounded corners. */
function rounded(points: Point[]): string {
  const parts = points.map((point, at) => {
    const [before, after] = [points[at - 1], points[at + 1]];
    if (!before) return `M${point.join(" ")}`;
    if (!after) return `L${point.join(" ")}`;
    return `L${towards(point, before).join(" ")}Q${point.join(" ")} ${towards(point, after).join(" ")}`;
  });
  return parts.join("");
}

function towards([x, y]: Point, [toX, toY]: Point): Point {
  const length = Math.hypot(toX - x, toY - y);
  const share = length === 0 ? 0 : Math.min(CORNER, length / 2) / length;
  return [x + (toX - x) * share, y + (toY - y) * share];
}
