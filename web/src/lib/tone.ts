// The meanings of colors. Color is never the only indicator.
export type Tone = "neutral" | "info" | "accent" | "good" | "waiting" | "bad";

export const toneText = (tone: Tone) => `var(--tone-${tone}-text)`;
export const toneGround = (tone: Tone) => `var(--tone-${tone}-ground)`;
export const toneLine = (tone: Tone) => `var(--tone-${tone}-line)`;
