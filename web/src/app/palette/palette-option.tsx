import { Box, Text } from "@mantine/core";
import {
  IconBolt,
  IconCornerDownRight,
  IconFileText,
  IconFolder,
  IconHammer,
  IconSettings,
} from "@tabler/icons-react";
import { KeyCaps } from "@/components/keys/key-caps";
import classes from "./palette.module.css";
import type { ItemKind } from "./palette-items";
import type { FoundItem } from "./search-items";

const ICONS: Record<ItemKind, typeof IconBolt> = {
  action: IconBolt,
  go: IconCornerDownRight,
  contract: IconFileText,
  build: IconHammer,
  project: IconFolder,
  everywhere: IconSettings,
};

interface PaletteOptionProps {
  id: string;
  item: FoundItem;
  selected: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

export function PaletteOption({ id, item, selected, onPoint, onChoose }: PaletteOptionProps) {
  const Icon = ICONS[item.kind];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of the list
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      className={classes.option}
      onPointerMove={selected ? undefined : onPoint}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Icon size={16} color="var(--mantine-color-dimmed)" aria-hidden />
      <Text span inherit truncate flex={1} miw={0}>
        <span>
          <Marked text={item.label} at={item.at} />
        </span>{" "}
        {item.detail && (
          <Text span fz="sm" c="dimmed" ml={6}>
            {item.detail}
          </Text>
        )}
      </Text>
      {item.keys && (
        <Box component="span" visibleFrom="sm" aria-hidden>
          <KeyCaps keys={item.keys} />
        </Box>
      )}
    </div>
  );
}

/** Highlights the characters that matched. */
function Marked({ text, at }: { text: string; at: number[] }) {
  if (at.length === 0) return text;
  const marked = new Set(at);
  const parts: { text: string; found: boolean }[] = [];
  for (const [index, letter] of [...text].entries()) {
    const found = marked.has(index);
    const last = parts.at(-1);
    if (last?.found === found) last.text += letter;
    else parts.push({ text: letter, found });
  }
  return parts.map(({ text, found }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a label never move
    found ? <b key={index}>{text}</b> : <span key={index}>{text}</span>,
  );
}
