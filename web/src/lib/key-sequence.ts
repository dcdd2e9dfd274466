// Reads key presses as shortcuts: `?`, `mod+k`, or sequences such as `g p`.

export type Stroke = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "timeStamp"
>;

/** The maximum time between two keys of a sequence. */
const SEQUENCE_TIMEOUT_MS = 1_500;

/** `mod` is Command on Apple platforms and Ctrl elsewhere. Keys of non-Latin layouts are identified by position. */
export function strokeOf({ key, code, ctrlKey, metaKey, altKey }: Stroke): string | null {
  const [mod, other] = isApple() ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  if (altKey || other || ["Shift", "Control", "Meta", "Alt"].includes(key)) return null;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const typed = letter && /[^\p{ASCII}]/u.test(key) ? letter.toLowerCase() : key;
  return mod ? `mod+${typed.toLowerCase()}` : typed;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
}

export class KeySequenceReader {
  private begun = "";
  private begunAt = 0;

  /** The binding that the key completes; `"begun"` if a sequence has started; null otherwise. */
  read(event: Stroke, bindings: string[]): string | null {
    const stroke = strokeOf(event);
    if (stroke === null) return null;
    const inTime = this.begun !== "" && event.timeStamp - this.begunAt <= SEQUENCE_TIMEOUT_MS;
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

/** Labels of the keys: `["Ctrl", "K"]`, or `["g", "p"]` for a sequence. */
export const keyCaps = (keys: string): string[] =>
  keys
    .split(" ")
    .flatMap((stroke) =>
      stroke.startsWith("mod+")
        ? [isApple() ? "⌘" : "Ctrl", stroke.slice(4).toUpperCase()]
        : [stroke],
    );
