// What a line in the command line means.
export const COMMANDS = [
  { name: "pause", usage: "/pause", about: "Pause after the step under way" },
  { name: "resume", usage: "/resume", about: "Go on" },
  { name: "cancel", usage: "/cancel [reason]", about: "End the build; its branch stays" },
  {
    name: "interject",
    usage: "/interject <text>",
    about: "Tell the agents something before their next step",
  },
  { name: "help", usage: "/help", about: "Show these commands" },
] as const;

export type CommandName = (typeof COMMANDS)[number]["name"];

export type ParsedLine =
  | { kind: "empty" }
  | { kind: "text"; text: string }
  | { kind: "command"; name: CommandName; rest: string }
  | { kind: "unknown"; word: string };

export function parseLine(line: string): ParsedLine {
  const text = line.trim();
  if (text === "") return { kind: "empty" };
  if (!text.startsWith("/")) return { kind: "text", text };
  const [, word = "", rest = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = COMMANDS.find(({ name }) => name === word.toLowerCase());
  return command
    ? { kind: "command", name: command.name, rest: rest.trim() }
    : { kind: "unknown", word };
}

/** Commands that the line may become, while only its first word is typed. */
export function suggestions(line: string) {
  const match = /^\/(\S*)$/.exec(line);
  if (!match) return [];
  return COMMANDS.filter(({ name }) => name.startsWith((match[1] ?? "").toLowerCase()));
}
