// Searches the items of the palette and groups the results, best match first.
import { fuzzy } from "@/lib/fuzzy";
import { type ItemKind, KINDS, type PaletteItem } from "./palette-items";

export interface FoundItem extends PaletteItem {
  /** Indices of the matched characters in the label. */
  at: number[];
}

export interface FoundGroup {
  kind: ItemKind;
  items: FoundItem[];
}

const MAX_GROUP_SIZE = 12;
const ORDER: ItemKind[] = ["action", "go", "contract", "build", "project", "everywhere"];
/** The weight of a match in the detail, relative to the label. */
const DETAIL_WEIGHT = 0.4;

export function findItems(query: string, items: PaletteItem[]): FoundGroup[] {
  const text = query.trim();
  const scored = items.flatMap((item) => {
    const match = matchItem(text, item);
    return match ? [{ ...match, item }] : [];
  });
  const groups = ORDER.flatMap((kind) => {
    const own = scored.filter(({ item }) => item.kind === kind);
    if (text !== "") own.sort((a, b) => b.score - a.score);
    const [first] = own;
    if (!first) return [];
    const found = own.slice(0, MAX_GROUP_SIZE).map(({ item, at }) => ({ ...item, at }));
    return [{ kind, items: found, score: first.score }];
  });
  if (text !== "") groups.sort((a, b) => b.score - a.score);
  return groups;
}

function matchItem(asked: string, { label, detail = "", kind }: PaletteItem) {
  if (asked === "") return { score: 0, at: [] };
  const named = fuzzy(asked, label);
  if (named) return named;
  const whole = fuzzy(asked, `${label} ${detail}`);
  // Scattered characters of a long text are no match.
  if (whole && whole.score > asked.length * 2)
    return {
      score: whole.score * DETAIL_WEIGHT,
      at: whole.at.filter((place) => place < label.length),
    };
  const ofKind = fuzzy(asked, KINDS[kind]);
  return ofKind && ofKind.score > asked.length * 2 ? { score: 0, at: [] } : null;
}
