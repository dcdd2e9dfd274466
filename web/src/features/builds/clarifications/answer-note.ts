// Formats an answer as a note in a contract.
import type { Clarification, ContractFormat } from "@/lib/api";

const inOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** A paragraph in Markdown, a comment in YAML, a string in JSON. */
export function answerNote({ question, answer }: Clarification, format: ContractFormat): string {
  const [q, a] = [`Q: ${inOneLine(question)}`, `A: ${inOneLine(answer ?? "")}`];
  switch (format) {
    case "yaml":
      return `# ${q}\n# ${a}\n`;
    case "json":
      return JSON.stringify(`${q} ${a}`);
    default:
      return `> ${q}\n> ${a}\n`;
  }
}
