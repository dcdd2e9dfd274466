// The tables and list items of a Markdown text, by the heading that they are under.
import type { SyntaxNode } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";

const markdown = parser.configure(GFM);

export interface MarkdownTable {
  /** In lower case. */
  head: string[];
  rows: string[][];
}

export interface MarkdownSection {
  /** Empty above the first heading. */
  heading: string;
  /** 0 above the first heading. */
  level: number;
  tables: MarkdownTable[];
  items: string[];
}

export function markdownSections(text: string): MarkdownSection[] {
  let section: MarkdownSection = { heading: "", level: 0, tables: [], items: [] };
  const sections = [section];
  markdown.parse(text).iterate({
    enter({ name, node }) {
      const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1];
      if (level) {
        section = { heading: headingOf(node, text), level: Number(level), tables: [], items: [] };
        sections.push(section);
      } else if (name === "Table") section.tables.push(tableOf(node, text));
      else if (name === "ListItem" && node.parent?.name === "BulletList")
        section.items.push(itemOf(node, text));
    },
  });
  return sections;
}

const sourceOf = ({ from, to }: { from: number; to: number }, text: string) =>
  text.slice(from, to).trim();

function headingOf(heading: SyntaxNode, text: string): string {
  const [mark, closing] = heading.getChildren("HeaderMark");
  if (heading.name.startsWith("Setext"))
    return sourceOf({ from: heading.from, to: mark?.from ?? heading.to }, text);
  return sourceOf({ from: mark?.to ?? heading.from, to: closing?.from ?? heading.to }, text);
}

/** The first paragraph of the item, on one line. */
function itemOf(item: SyntaxNode, text: string): string {
  const block = item.getChild("Paragraph") ?? item.getChild("Task");
  return block ? sourceOf(block, text).replace(/\s*\n\s*/g, " ") : "";
}

function tableOf(table: SyntaxNode, text: string): MarkdownTable {
  const head = table.getChild("TableHeader");
  return {
    head: head ? cellsOf(head, text).map((cell) => plain(cell).toLowerCase()) : [],
    rows: table.getChildren("TableRow").map((row) => cellsOf(row, text)),
  };
}

/** The text between delimiters: an empty cell has no node. */
function cellsOf(row: SyntaxNode, text: string): string[] {
  const delimiters = row.getChildren("TableDelimiter");
  const bounds = [{ to: row.from }, ...delimiters, { from: row.to }] as SyntaxNode[];
  const cells = bounds
    .slice(1)
    .map(({ from }, index) => sourceOf({ from: bounds[index]?.to ?? row.from, to: from }, text));
  // Delimiters at both ends are optional and enclose no cell.
  if (delimiters[0]?.from === row.from) cells.shift();
  if (delimiters.at(-1)?.to === row.to) cells.pop();
  return cells.map((cell) => cell.replaceAll("\\|", "|"));
}

/** Without the markers of code and emphasis. */
export const plain = (text: string): string => text.replace(/`|\*\*|__/g, "").trim();
