// How a question was resolved.
import type { Clarification } from "@/lib/api";
import { isOfAgent } from "./asked-by";

/** `you`: whether the user resolved it on this page. */
export function resolutionLabel(question: Clarification, you: boolean) {
  const { status, answered_by_name: name } = question;
  const who = you ? "You" : (name ?? "A user");
  switch (status) {
    case "open":
      return "Awaiting answer";
    case "answered":
      return `${who} answered`;
    case "skipped":
      return isOfAgent(question) ? `${who} let the agent decide` : `${who} left it open`;
    case "timed_out":
      return isOfAgent(question) ? "Expired: the agent decided" : "Expired: it stays open";
    case "cancelled":
      return "Cancelled with the build";
  }
}
