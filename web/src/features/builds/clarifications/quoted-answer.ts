// Quotes an answer; a question with several choices has one line for each.
import type { Clarification } from "@/lib/api";

export function quotedAnswer({ answer, multiple }: Clarification): string | null {
  if (answer === null) return null;
  const choices = multiple ? answer.split("\n") : [answer];
  return choices.map((choice) => `“${choice}”`).join(", ");
}
