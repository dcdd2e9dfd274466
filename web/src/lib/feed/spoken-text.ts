// An agent's words without the marks of its protocol, which have rows of their own.

const PLAN = /^=== PLAN ===$[\s\S]*?(?:^=== END PLAN ===$|(?![\s\S]))/gm;
/** Each judged criterion has a row too. */
const CRITERION = /^criterion \d+: (passed|failed)\b.*$/gim;
const MARK = /^=== [A-Z][^=]* ===$/gm;

export function spokenText(text: string): string {
  return text
    .replace(PLAN, "")
    .replace(CRITERION, "")
    .replace(MARK, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
