// Formats an answer as a note in a contract.
import type { Clarification, ContractFormat } from "@/lib/api";

const inOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** A paragraph in Markdown, a comment in YAML, a string in JSON. */
export function answerNote(asked: Clarification, format: ContractFormat): string {
  const answer = asked.multiple ? asked.answer?.replaceAll("\n", "; ") : asked.answer;
  const [q, a] = [`Q: ${inOneLine(asked.question)}`, `A: ${inOneLine(answer ?? "")}`];
  switch (format) {
    case "yaml":
      return `# ${q}\n# ${a}\n`;
    case "json":
      return JSON.stringify(`${q} ${a}`);
    default:
      return `> ${q}\n> ${a}\n`;
  }
}
