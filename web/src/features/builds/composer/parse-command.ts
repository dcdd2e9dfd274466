// Parses a line of the command line.
export const COMMANDS = [
  { name: "pause", usage: "/pause", about: "Pause after the current step" },
  { name: "resume", usage: "/resume", about: "Resume the build" },
  { name: "cancel", usage: "/cancel [reason]", about: "Cancel the build; the branch is kept" },
  {
    name: "interject",
    usage: "/interject <text>",
    about: "Send a message to the agents",
  },
  { name: "help", usage: "/help", about: "Show this help" },
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

/** Commands that start with the typed word. */
export function suggestions(line: string) {
  const match = /^\/(\S*)$/.exec(line);
  if (!match) return [];
  return COMMANDS.filter(({ name }) => name.startsWith((match[1] ?? "").toLowerCase()));
}
