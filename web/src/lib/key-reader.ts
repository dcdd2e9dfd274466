// Reads strokes one by one and says what they mean: `?`, `mod+k`, or one after the other, as in `g p`.

export type Stroke = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "timeStamp"
>;

/** How long the second stroke may take. */
const PATIENCE_MS = 1_500;

/** `mod` stands for Ctrl or Command; a layout without Latin letters is read by the keys' places. */
export function strokeOf({ key, code, ctrlKey, metaKey, altKey }: Stroke): string | null {
  if (altKey || ["Shift", "Control", "Meta", "Alt"].includes(key)) return null;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const typed = letter && /[^\p{ASCII}]/u.test(key) ? letter.toLowerCase() : key;
  return ctrlKey || metaKey ? `mod+${typed.toLowerCase()}` : typed;
}

export class KeyReader {
  private begun = "";
  private begunAt = 0;

  /** The one of `bindings` that the stroke completes, or null; `"begun"` where another one must follow. */
  read(event: Stroke, bindings: string[]): string | null {
    const stroke = strokeOf(event);
    if (stroke === null) return null;
    const inTime = this.begun !== "" && event.timeStamp - this.begunAt <= PATIENCE_MS;
    const tries = inTime ? [`${this.begun} ${stroke}`, stroke] : [stroke];
    this.begun = "";
    for (const keys of tries) {
      if (bindings.includes(keys)) return keys;
      if (bindings.some((binding) => binding.startsWith(`${keys} `))) {
        this.begun = keys;
        this.begunAt = event.timeStamp;
        return "begun";
      }
    }
    return null;
  }
}

const isApple = () => /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** The keys as they are printed on the keyboard: `["Ctrl", "K"]`, or `["g", "p"]` one after the other. */
export const keyCaps = (keys: string): string[] =>
  keys
    .split(" ")
    .flatMap((stroke) =>
      stroke.startsWith("mod+")
        ? [isApple() ? "⌘" : "Ctrl", stroke.slice(4).toUpperCase()]
        : [stroke],
    );
