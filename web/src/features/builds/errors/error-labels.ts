// Labels of where an error was found.
interface Sighted {
  phase?: string | null;
  source: string;
}

/** `Phase 0: Lists · gate test` */
export function sourceOf({ phase, source }: Sighted): string {
  const from = source.replace(":", " ");
  return phase ? `${phaseOf(phase)} · ${from}` : from;
}

export const phaseOf = (phase: string) => (/^\d+$/.test(phase) ? `Phase ${phase}` : phase);
