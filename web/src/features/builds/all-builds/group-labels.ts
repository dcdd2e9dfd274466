// The words for groups of builds, and for what a build waits for.
import type { Schemas } from "@/lib/api";
import { formatBytes } from "@/lib/format";
import { keysOf } from "@/lib/keys-of";
import type { BuildGroup, Heartbeat } from "./api";

/** In the order of the list. */
export const GROUP_LABELS: Record<BuildGroup, string> = {
  needs_answer: "Needs an answer",
  running: "Running",
  queued: "Queued",
  in_review: "In review",
  finished: "Finished",
};

export const GROUPS = keysOf(GROUP_LABELS);

type WaitsFor = Schemas["WaitsFor"];

const WAITS: Record<Exclude<WaitsFor, "answer" | "resume" | "follow_up">, string> = {
  worker: "Waits for a free worker",
  model: "Waits for the model",
  commands: "Waits for gates and commands",
  retry: "Waits for the next attempt",
  review: "Waits for a reviewer",
};

/** Who or what has to do something next; null if nothing is left to do. */
export function waitsLabel(waitsFor: WaitsFor | null, isOwner: boolean): string | null {
  switch (waitsFor) {
    case null:
      return null;
    case "answer":
      return isOwner ? "Waits for your answer" : "Waits for the owner’s answer";
    case "resume":
      return isOwner ? "Waits for you to resume it" : "Waits for the owner to resume it";
    case "follow_up":
      return isOwner ? "Waits for you to start a follow-up" : "Waits for a follow-up";
    default:
      return WAITS[waitsFor];
  }
}

/** Such as `Implementation, step 2 of 5 · 45%`. */
export const progressLabel = ({ step, progress_percent }: Heartbeat): string =>
  `${step} · ${progress_percent}%`;

/** What the build's commands use, such as `120% CPU, 340 MB`; null if none runs. */
export const loadLabel = ({ cpu_percent, memory_bytes }: Heartbeat): string | null =>
  memory_bytes > 0 ? `${cpu_percent}% CPU, ${formatBytes(memory_bytes)}` : null;
