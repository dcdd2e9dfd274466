// The phases of a build as segments of a progress bar.
export type PhasePart = { key: number; state: "done" | "current" | "ahead" };

export function phaseParts(count: number, done: number): PhasePart[] {
  return Array.from({ length: Math.max(count, 1) }, (_, index) => ({
    key: index,
    state: index < done ? "done" : index === done && done > 0 ? "current" : "ahead",
  }));
}
