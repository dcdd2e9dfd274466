// Removes protocol markers from an agent's text; they have rows of their own.

const PLAN = /^=== PLAN ===$[\s\S]*?(?:^=== END PLAN ===$|(?![\s\S]))/gm;
/** Each criterion has its own row. */
const CRITERION = /^criterion \d+: (passed|failed)\b.*$/gim;
const MARK = /^=== [A-Z][^=]* ===$/gm;

export function agentText(text: string): string {
  return text
    .replace(PLAN, "")
    .replace(CRITERION, "")
    .replace(MARK, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
