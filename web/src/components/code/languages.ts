// Parsers by file name, each loaded when it is first needed.
import type { Parser } from "@lezer/common";

type Load = () => Promise<Parser>;

const script = (dialect: string) => async () =>
  (await import("@lezer/javascript")).parser.configure({ dialect });
const css: Load = async () => (await import("@lezer/css")).parser;
const html: Load = async () => (await import("@lezer/html")).parser;
const markdown: Load = async () => {
  const { parser, GFM } = await import("@lezer/markdown");
  return parser.configure(GFM);
};
const json: Load = async () => (await import("@lezer/json")).parser;
const python: Load = async () => (await import("@lezer/python")).parser;
const rust: Load = async () => (await import("@lezer/rust")).parser;
const go: Load = async () => (await import("@lezer/go")).parser;
const java: Load = async () => (await import("@lezer/java")).parser;
const cpp: Load = async () => (await import("@lezer/cpp")).parser;
// A hunk rarely contains the opening tag.
const php: Load = async () => (await import("@lezer/php")).parser.configure({ top: "Program" });
const yaml: Load = async () => (await import("@lezer/yaml")).parser;
const xml: Load = async () => (await import("@lezer/xml")).parser;

const BY_ENDING: Record<string, Load> = {
  js: script("jsx"),
  mjs: script("jsx"),
  cjs: script("jsx"),
  jsx: script("jsx"),
  ts: script("ts"),
  mts: script("ts"),
  cts: script("ts"),
  tsx: script("ts jsx"),
  json,
  jsonc: json,
  webmanifest: json,
  css,
  html,
  htm: html,
  vue: html,
  svelte: html,
  md: markdown,
  markdown,
  py: python,
  pyi: python,
  rs: rust,
  go,
  java,
  c: cpp,
  h: cpp,
  cc: cpp,
  cpp,
  hpp: cpp,
  php,
  yaml,
  yml: yaml,
  xml,
  svg: xml,
};

/** The parser for a file of this name, if there is one. */
export function parserFor(path: string): Promise<Parser> | null {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return BY_ENDING[ending]?.() ?? null;
}
