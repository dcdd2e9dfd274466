// Reads the phases contract: objectives, deliverables and exit criteria.
export interface Phase {
  number: number;
  title: string;
  objective: string;
  deliverables: string[];
  criteria: string[];
}

export function readPhases(text: string): Phase[] {
  const parts = text.split(/^## +Phase +/m).slice(1);
  return parts.flatMap((part) => {
    const [, number, title] = /^(\d+)\s*[—–:-]\s*(.+)/.exec(part) ?? [];
    if (!number || !title) return [];
    return {
      number: Number(number),
      title: title.trim(),
      objective: /^\*\*Objective:\*\*\s*(.+)/m.exec(part)?.[1]?.trim() ?? "",
      deliverables: itemsBelow(part, "Deliverables"),
      criteria: itemsBelow(part, "Exit criteria"),
    };
  });
}

function itemsBelow(part: string, label: string): string[] {
  const lines = part.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`**${label}`));
  if (at < 0) return [];
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^(\*\*|#)/.test(line));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .flatMap((line) => /^\s*[-*] +(.+)/.exec(line)?.[1]?.trim() ?? []);
}
