// How a question was resolved.
import type { Clarification } from "@/lib/api";

/** `you`: whether the user resolved it on this page. */
export function resolutionLabel({ status, answered_by_name: name }: Clarification, you: boolean) {
  const who = you ? "You" : (name ?? "A user");
  switch (status) {
    case "open":
      return "Awaiting answer";
    case "answered":
      return `${who} answered`;
    case "skipped":
      return `${who} let the agent decide`;
    case "timed_out":
      return "Expired: the agent decided";
    case "cancelled":
      return "Cancelled with the build";
  }
}
