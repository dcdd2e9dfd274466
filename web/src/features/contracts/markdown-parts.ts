// A Markdown text as what stands below each heading: tables and lists. Code blocks are left out.
export interface MarkdownTable {
  /** In lower case. */
  head: string[];
  rows: string[][];
}

export interface MarkdownPart {
  /** Empty above the first heading. */
  heading: string;
  /** 0 above the first heading. */
  level: number;
  tables: MarkdownTable[];
  items: string[];
}

export function markdownParts(text: string): MarkdownPart[] {
  let part: MarkdownPart = { heading: "", level: 0, tables: [], items: [] };
  const parts = [part];
  let block: string[] = [];
  let fence: string | null = null;

  function endTable() {
    const table = tableOf(block);
    if (table) part.tables.push(table);
    block = [];
  }

  for (const line of text.split("\n")) {
    const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (/^\s*\|/.test(line)) {
      block.push(line);
      continue;
    }
    endTable();
    const [, marks, heading] = /^(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line) ?? [];
    const [, item] = /^ {0,3}[-*+]\s+(.+)$/.exec(line) ?? [];
    if (mark) fence = mark;
    else if (marks && heading) {
      part = { heading, level: marks.length, tables: [], items: [] };
      parts.push(part);
    } else if (item) part.items.push(item.trim());
  }
  endTable();
  return parts;
}

function tableOf(lines: string[]): MarkdownTable | null {
  const [head, rule, ...rows] = lines.map(cellsOf);
  if (!head || !rule?.every((cell) => /^:?-+:?$/.test(cell))) return null;
  return { head: head.map((cell) => plain(cell).toLowerCase()), rows };
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim());

/** Without the marks of code and emphasis. */
export const plain = (text: string): string => text.replace(/`|\*\*|__/g, "").trim();
