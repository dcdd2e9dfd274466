import { Checkbox, Group, SegmentedControl, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { DiffLayout } from "../code/diff-entry";
import { IconTool } from "../icon-tool";
import classes from "./changes.module.css";

const LAYOUTS: { value: DiffLayout; label: string }[] = [
  { value: "inline", label: "Inline" },
  { value: "split", label: "Side by side" },
];

interface ChangesToolbarProps {
  /** Null if files cannot be marked as viewed. */
  viewed: { count: number; of: number } | null;
  /** Null if there is no space for two sides. */
  layout: DiffLayout | null;
  onLayout: (layout: DiffLayout) => void;
  ignoreWhitespace: boolean;
  onIgnoreWhitespace: (ignore: boolean) => void;
  onJump: (step: 1 | -1) => void;
}

export function ChangesToolbar(props: ChangesToolbarProps) {
  const { viewed, layout, onLayout, ignoreWhitespace, onIgnoreWhitespace, onJump } = props;
  return (
    <Group className={classes.toolbar} gap="xs">
      {viewed && (
        <Text fz="xs" c="dimmed" role="status">
          {viewed.count} of {viewed.of} viewed
        </Text>
      )}
      <Group gap="xs" ml="auto">
        <Checkbox
          size="xs"
          label="Hide whitespace"
          checked={ignoreWhitespace}
          onChange={(event) => onIgnoreWhitespace(event.currentTarget.checked)}
        />
        {layout && (
          <SegmentedControl
            aria-label="Diff layout"
            size="xs"
            data={LAYOUTS}
            value={layout}
            onChange={(value) => onLayout(value)}
          />
        )}
        <IconTool label="Previous change (p)" onClick={() => onJump(-1)}>
          <IconArrowUp size={14} aria-hidden />
        </IconTool>
        <IconTool label="Next change (n)" onClick={() => onJump(1)}>
          <IconArrowDown size={14} aria-hidden />
        </IconTool>
      </Group>
    </Group>
  );
}
