// Design tokens: colors, type scale, spacing. Components and CSS take all values from here.

import {
  Alert,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
} from "@mantine/core";
import type { Tone } from "@/lib/tone";

const indigo: MantineColorsTuple = [
  "#f1f2fe",
  "#e2e4fc",
  "#c3c7f7",
  "#a2a8f2",
  "#868eee",
  "#6f78e8",
  "#5a64df",
  "#4a54d3",
  "#3d47c3",
  "#2f38a0",
];
const gray: MantineColorsTuple = [
  "#f8f9fb",
  "#f2f4f7",
  "#e8ebf0",
  "#dce0e7",
  "#c6ccd6",
  "#a3abb9",
  "#7b8494",
  "#586070",
  "#3c4351",
  "#20252f",
];
const dark: MantineColorsTuple = [
  "#e4e7ee",
  "#c2c7d2",
  "#9ca4b4",
  "#737b8c",
  "#3a404d",
  "#2c313c",
  "#20242d",
  "#15181f",
  "#101218",
  "#0a0c10",
];

// The page has one banner; headers of dialogs are not banners.
const NO_BANNER = { role: "presentation" };

// Alerts use the colors of tones: the library's own have too little contrast.
const ALERT_TONES: Record<string, string> = { red: "bad", yellow: "waiting", teal: "good" };

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: 8,
  autoContrast: true,
  colors: { indigo, gray, dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace:
    "'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2.5rem" },
  headings: {
    fontWeight: "620",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.3" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.45" },
    },
  },
  defaultRadius: "md",
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
  cursorType: "pointer",
  respectReducedMotion: true,
  focusRing: "auto",
  components: {
    Button: { defaultProps: { size: "sm" } },
    TextInput: { defaultProps: { size: "sm" } },
    Tooltip: {
      defaultProps: {
        openDelay: 300,
        withArrow: true,
        events: { hover: true, focus: true, touch: true },
      },
    },
    Modal: {
      defaultProps: {
        transitionProps: { duration: 120, transition: "fade-up" },
        closeButtonProps: { "aria-label": "Close" },
        attributes: { header: NO_BANNER },
      },
    },
    Drawer: {
      defaultProps: {
        transitionProps: { duration: 140 },
        closeButtonProps: { "aria-label": "Close" },
        attributes: { header: NO_BANNER },
      },
    },
    Alert: Alert.extend({
      vars: (_, { color }) => {
        const tone = ALERT_TONES[String(color)] ?? "neutral";
        return {
          root: {
            "--alert-color": `var(--tone-${tone}-text)`,
            "--alert-bg": `var(--tone-${tone}-ground)`,
            "--alert-bd": `1px solid var(--tone-${tone}-line)`,
          },
        };
      },
    }),
    Card: {
      defaultProps: {
        withBorder: true,
        radius: "lg",
        padding: "lg",
        shadow: "xs",
        bg: "var(--surface)",
      },
    },
    // With a role, so that its label is announced.
    Loader: { defaultProps: { size: "sm", role: "img" } },
  },
});

// A tone is a meaning (good, waiting, bad …) with colors for text, background and border in both schemes.
type ToneColors = [text: string, ground: string, line: string];

const lightTones: Record<Tone, ToneColors> = {
  neutral: ["#4b5363", "#eef0f4", "#d5dae2"],
  info: ["#1f56ab", "#e8f1fd", "#bcd6f8"],
  accent: ["#3d47c3", "#eceefd", "#c7cbf7"],
  good: ["#17663b", "#e4f6eb", "#b3e2c6"],
  waiting: ["#8a4b00", "#fff4dc", "#f2cd83"],
  bad: ["#b3261e", "#fdecea", "#f5c0bb"],
};
const darkTones: typeof lightTones = {
  neutral: ["#b9c0cd", "#252a34", "#3a414e"],
  info: ["#8fc0ff", "#15263f", "#264770"],
  accent: ["#b4baff", "#22264a", "#3d447f"],
  good: ["#7fdba6", "#11291d", "#22533a"],
  waiting: ["#f6c465", "#322408", "#6b4d12"],
  bad: ["#ff9d95", "#371916", "#6e2f2a"],
};

function toneVariables(tones: typeof lightTones): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, [text, ground, line]] of Object.entries(tones)) {
    variables[`--tone-${name}-text`] = text;
    variables[`--tone-${name}-ground`] = ground;
    variables[`--tone-${name}-line`] = line;
  }
  return variables;
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: { "--page-width": "68rem", "--header-height": "3.25rem" },
  light: {
    ...toneVariables(lightTones),
    "--mantine-color-text": "#1a1e27",
    "--mantine-color-dimmed": "#5a6272",
    "--mantine-color-placeholder": "#6a7282",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-anchor": "#3d47c3",
    "--surface": "#ffffff",
    "--surface-sunken": "#f7f8fa",
    "--surface-raised": "#ffffff",
    "--line": "#e4e7ec",
    "--diff-insert": "#e6f6ec",
    "--diff-insert-strong": "#b4e6c7",
    "--diff-delete": "#fdeceb",
    "--diff-delete-strong": "#f8c5c1",
    "--code-comment": "#515a69",
    "--code-keyword": "#7a1fa2",
    "--code-string": "#0b5a34",
    "--code-constant": "#8a3a00",
    "--code-function": "#2438a8",
    "--code-type": "#00566b",
    "--code-name": "#6b4300",
    "--mantine-shadow-xs": "0 1px 2px rgb(16 20 30 / 4%)",
  },
  dark: {
    ...toneVariables(darkTones),
    "--mantine-color-body": "#0f1116",
    "--mantine-color-text": "#e4e7ee",
    "--mantine-color-dimmed": "#9ca4b4",
    "--mantine-color-placeholder": "#8a92a3",
    "--mantine-color-error": "#ff9d95",
    "--mantine-color-anchor": "#aab1ff",
    "--surface": "#15181f",
    "--surface-sunken": "#101319",
    "--surface-raised": "#1a1e26",
    "--line": "#282d38",
    "--diff-insert": "#10281c",
    "--diff-insert-strong": "#1d5637",
    "--diff-delete": "#341a18",
    "--diff-delete-strong": "#6e2e29",
    "--code-comment": "#b8c0ce",
    "--code-keyword": "#d9b8ff",
    "--code-string": "#a5e6b4",
    "--code-constant": "#ffc48a",
    "--code-function": "#a9cbff",
    "--code-type": "#8fe0ee",
    "--code-name": "#f2d48a",
    "--mantine-shadow-xs": "none",
  },
});
