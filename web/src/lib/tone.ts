// The meanings of colors. Color is never the only indicator.
export type Tone = "neutral" | "info" | "accent" | "good" | "waiting" | "bad";

export const toneText = (tone: Tone) => `var(--tone-${tone}-text)`;
export const toneGround = (tone: Tone) => `var(--tone-${tone}-ground)`;
export const toneLine = (tone: Tone) => `var(--tone-${tone}-line)`;

/** Style props of a box with a border in the colors of the tone. */
export const toneFrame = (tone: Tone) => ({
  bg: toneGround(tone),
  bd: `1px solid ${toneLine(tone)}`,
  bdrs: "md",
});

/** Style props of a bar across its container. */
export const toneBar = (tone: Tone) => ({
  bg: toneGround(tone),
  c: toneText(tone),
  style: { borderBottom: `1px solid ${toneLine(tone)}` },
});
