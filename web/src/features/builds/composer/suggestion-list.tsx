import { Text } from "@mantine/core";
import classes from "./command-line.module.css";
import type { COMMANDS } from "./parse-command";

interface SuggestionListProps {
  id: string;
  matches: (typeof COMMANDS)[number][];
  chosen: string | undefined;
  onChoose: (name: string) => void;
}

export function SuggestionList({ id, matches, chosen, onChoose }: SuggestionListProps) {
  return (
    <div id={id} role="listbox" aria-label="Commands" className={classes.list}>
      {matches.map(({ name, usage, about }) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the active option
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the input
        <div
          key={name}
          id={`${id}-${name}`}
          role="option"
          aria-selected={name === chosen}
          className={classes.option}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(name)}
        >
          <Text span ff="monospace" fz="sm" fw={600} miw={176}>
            {usage}
          </Text>
          <Text span fz="sm" c="dimmed">
            {about}
          </Text>
        </div>
      ))}
    </div>
  );
}
