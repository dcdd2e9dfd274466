// Which items somebody means by what they typed, in groups, the best first.
import { fuzzy } from "@/lib/fuzzy";
import { type ItemKind, KINDS, type PaletteItem } from "./palette-items";

export interface FoundItem extends PaletteItem {
  /** Places in the label to mark. */
  at: number[];
}

export interface FoundGroup {
  kind: ItemKind;
  items: FoundItem[];
}

const MOST_IN_A_GROUP = 12;
const ORDER: ItemKind[] = ["action", "go", "contract", "build", "project", "everywhere"];
/** What is found in the words beside the label counts less. */
const BESIDE = 0.4;

export function findItems(query: string, items: PaletteItem[]): FoundGroup[] {
  const asked = query.trim();
  const scored = items.flatMap((item) => {
    const match = matchItem(asked, item);
    return match ? [{ ...match, item }] : [];
  });
  const groups = ORDER.flatMap((kind) => {
    const own = scored.filter(({ item }) => item.kind === kind);
    if (asked !== "") own.sort((a, b) => b.score - a.score);
    const [first] = own;
    if (!first) return [];
    const found = own.slice(0, MOST_IN_A_GROUP).map(({ item, at }) => ({ ...item, at }));
    return [{ kind, items: found, score: first.score }];
  });
  if (asked !== "") groups.sort((a, b) => b.score - a.score);
  return groups;
}

function matchItem(asked: string, { label, detail = "", kind }: PaletteItem) {
  if (asked === "") return { score: 0, at: [] };
  const named = fuzzy(asked, label);
  if (named) return named;
  const whole = fuzzy(asked, `${label} ${detail}`);
  // Scattered letters of a long text mean nothing.
  if (whole && whole.score > asked.length * 2)
    return { score: whole.score * BESIDE, at: whole.at.filter((place) => place < label.length) };
  const ofKind = fuzzy(asked, KINDS[kind]);
  return ofKind && ofKind.score > asked.length * 2 ? { score: 0, at: [] } : null;
}
