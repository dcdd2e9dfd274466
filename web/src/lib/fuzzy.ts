// Fuzzy search: all characters in order; matches at word starts and close together score higher.

export interface FuzzyMatch {
  score: number;
  /** Indices of the matched characters. */
  at: number[];
}

const isStart = (text: string, index: number) =>
  index === 0 || /[\s/_.·-]/.test(text.charAt(index - 1));

/** Null if `text` does not contain every character of `query` in order. Words may be in any order. */
export function fuzzy(query: string, text: string): FuzzyMatch | null {
  const lower = text.toLowerCase();
  const found: FuzzyMatch = { score: 0, at: [] };
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const match = matchWord(word, lower);
    if (!match) return null;
    found.score += match.score;
    found.at.push(...match.at);
  }
  // Prefers the shorter of two equal matches.
  found.score -= text.length / 200;
  return { ...found, at: [...new Set(found.at)].sort((a, b) => a - b) };
}

function matchWord(word: string, text: string): FuzzyMatch | null {
  for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + 1)) {
    if (isStart(text, index)) return whole(word, index, 12);
  }
  const inside = text.indexOf(word);
  if (inside >= 0) return whole(word, inside, 6);
  return scattered(word, text);
}

const whole = (word: string, from: number, bonus: number): FuzzyMatch => ({
  score: word.length * 3 + bonus - Math.min(from, 40) / 20,
  at: Array.from(word, (_, step) => from + step),
});

/** Character by character, preferring starts of words. */
function scattered(word: string, text: string): FuzzyMatch | null {
  const at: number[] = [];
  let score = 0;
  let from = 0;
  for (const letter of word) {
    const next = text.indexOf(letter, from);
    if (next < 0) return null;
    let start = next;
    while (start >= 0 && !isStart(text, start)) start = text.indexOf(letter, start + 1);
    const rest = word.slice(at.length + 1);
    const leap = next !== from && start > next && holds(text.slice(start + 1), rest);
    const index = leap ? start : next;
    score += isStart(text, index) ? 2 : index === from ? 1.5 : 0.25;
    at.push(index);
    from = index + 1;
  }
  // Widely scattered characters are no match.
  const spread = (at.at(-1) ?? 0) - (at[0] ?? 0) + 1;
  return score < word.length * 0.75 && spread > word.length * 4 ? null : { score, at };
}

function holds(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}
