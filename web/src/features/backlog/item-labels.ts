// The columns of the board, and the texts of its cards.
import { plural } from "@/lib/format";
import type { BacklogItem, ItemState } from "./api";

export const STATES: ItemState[] = ["queued", "running", "needs_you", "in_review", "done"];

export const STATE_LABELS: Record<ItemState, string> = {
  queued: "Queued",
  running: "Running",
  needs_you: "Needs you",
  in_review: "In review",
  done: "Done",
};

export const itemName = ({ number, title }: Pick<BacklogItem, "number" | "title">) =>
  `${number} ${title}`;

/** The names of items with these ids; others are counted. */
export function namesOf(ids: string[], items: BacklogItem[]): string {
  const known = items.filter(({ id }) => ids.includes(id)).map(itemName);
  const others = ids.length - known.length;
  return [...known, ...(others > 0 ? [plural(others, "other item")] : [])].join(", ");
}

/** What an item waits for, in one sentence; empty if nothing is to be said. */
export function itemHint(item: BacklogItem, items: BacklogItem[]): string {
  const { build } = item;
  if (item.start_error) return `Could not start: ${item.start_error} Another attempt follows.`;
  if (item.state === "queued") {
    if (item.blocked_by.length > 0) return `After ${namesOf(item.blocked_by, items)}.`;
    const conflicting = items.filter(
      ({ id, state, build }) =>
        item.overlaps_with.includes(id) && build && state !== "queued" && !build.verdict,
    );
    if (item.start_requested && conflicting.length > 0)
      return `After ${conflicting.map(itemName).join(", ")}, which may change the same files.`;
    if (item.start_requested) return "Starts as soon as the project may have another build.";
    if (build) return `Build #${build.number} was cancelled. Start it for another attempt.`;
    return "";
  }
  if (item.state === "needs_you" && build) {
    if (build.blocked_text) return build.blocked_text;
    if (build.open_questions > 0) return plural(build.open_questions, "open question");
    if (build.verdict) return "Start it for another attempt, or open the build to see why.";
    return "The build is paused.";
  }
  if (item.state === "running" && build && build.phase_count > 0) {
    return `${build.phases_done} of ${plural(build.phase_count, "phase")} done`;
  }
  return "";
}

/** The item before which another one is inserted to move one place up or down; undefined if there is
 * no such place. `ids` are those of the column, `all` those of the project, in their order. */
export function placeAfterStep(
  id: string,
  step: -1 | 1,
  ids: string[],
  all: string[],
): string | null | undefined {
  const at = ids.indexOf(id);
  const neighbour = ids[at + step];
  if (at < 0 || neighbour === undefined) return undefined;
  if (step === -1) return neighbour;
  return all[all.indexOf(neighbour) + 1] ?? null;
}
