// An answer of a person as a note for a contract.
import type { Clarification, ContractFormat } from "@/lib/api";

const inOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** Fits into a text of this format: a paragraph, a comment, or a string where no comment may stand. */
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
