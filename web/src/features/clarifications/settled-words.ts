// What became of a question, in plain words.
import type { Clarification } from "@/lib/api";

/** `you` is whether the reader did it, here. */
export function settledWords({ status, answered_by_name: name }: Clarification, you: boolean) {
  const who = you ? "You" : (name ?? "Somebody");
  switch (status) {
    case "open":
      return "Waits for an answer";
    case "answered":
      return `${who} answered`;
    case "skipped":
      return `${who} let the builder decide`;
    case "timed_out":
      return "Nobody answered in time, so the builder decided by itself";
    case "cancelled":
      return "The build ended before an answer came";
  }
}
