// The figures of two builds, and how they differ.
import { formatCompact, formatCount, formatDuration, formatUsd } from "@/lib/format";
import type { ComparedBuild } from "./api";

export interface Figure {
  label: string;
  from: string;
  to: string;
  /** Such as "−$0.20"; empty if both are equal or one is unknown. */
  difference: string;
}

type Value = (build: ComparedBuild) => number | null;

const FIGURES: [label: string, value: Value, show: (value: number) => string][] = [
  ["Score", ({ score }) => score, formatCount],
  ["Phases done", ({ phases_done }) => phases_done, formatCount],
  ["Working time", ({ spent }) => spent.working_ms, formatDuration],
  ["Tokens", ({ spent }) => spent.tokens_in + spent.tokens_out, formatCompact],
  ["Cost", ({ spent }) => spent.usd_micros, formatUsd],
  ["Replies of models", ({ replies }) => replies, formatCount],
  ["Questions", ({ spent }) => spent.clarifications, formatCount],
  ["Commits", ({ commit_count }) => commit_count, formatCount],
  ["Errors, with fixed ones", ({ error_count }) => error_count, formatCount],
  ["Open errors", ({ open_errors }) => open_errors, formatCount],
];

export const figuresOf = (from: ComparedBuild, to: ComparedBuild): Figure[] =>
  FIGURES.map(([label, value, show]) => {
    const [old, next] = [value(from), value(to)];
    const shown = (it: number | null) => (it === null ? "none" : show(it));
    return { label, from: shown(old), to: shown(next), difference: difference(old, next, show) };
  });

function difference(
  from: number | null,
  to: number | null,
  show: (value: number) => string,
): string {
  if (from === null || to === null || from === to) return "";
  const sign = to > from ? "+" : "−";
  return `${sign}${show(Math.abs(to - from))}`;
}
