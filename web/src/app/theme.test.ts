import { DEFAULT_THEME } from "@mantine/core";
import { describe, expect, it } from "vitest";
import { cssVariables } from "./theme";

const GROUNDS = ["--surface", "--surface-sunken", "--diff-insert", "--diff-insert-strong"].concat([
  "--diff-delete",
  "--diff-delete-strong",
]);

const channel = (value: number) =>
  value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    channel(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  ) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

describe.each(["light", "dark"] as const)("the %s scheme", (scheme) => {
  const tokens = cssVariables(DEFAULT_THEME)[scheme] as Record<string, string>;
  const code = Object.keys(tokens).filter((name) => name.startsWith("--code-"));

  it.each(code)("has enough contrast for %s on every background of a diff", (name) => {
    for (const ground of GROUNDS) {
      const ratio = contrast(tokens[name] as string, tokens[ground] as string);
      expect(ratio, `on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });
});
