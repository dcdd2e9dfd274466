import { Button, Stack, VisuallyHidden } from "@mantine/core";
import { IconArrowBackUp, IconPlus } from "@tabler/icons-react";
import type { FieldAttributes } from "./field-attributes";
import { ListRow } from "./list-row";
import { useListRows } from "./use-list-rows";

interface ListAnswerProps {
  names: FieldAttributes;
  /** The question, for the label of the add button. */
  what: string;
  value: string[];
  onChange: (answer: string[]) => void;
}

/** A list with one row per item: Enter adds a row, Alt with an arrow moves it, pasted lines become rows. */
export function ListAnswer({ names, what, value, onChange }: ListAnswerProps) {
  const { items, list, announcement, hasRemoved, actions } = useListRows(value, onChange);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be described by several texts
    <div ref={list} role="group" id={names.id} aria-labelledby={names["aria-labelledby"]}>
      <Stack component="ol" gap={6} mb={6} className="plain-list">
        {items.map((text, row) => (
          <ListRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name than its place
            key={row}
            names={names}
            row={row}
            count={items.length}
            text={text}
            actions={actions}
          />
        ))}
      </Stack>
      <Button
        ml={-10}
        variant="subtle"
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={`Add item: ${what}`}
        onClick={actions.add}
      >
        Add item
      </Button>
      {hasRemoved && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          onClick={actions.putBack}
        >
          Undo remove
        </Button>
      )}
      <VisuallyHidden component="span" role="status">
        {announcement}
      </VisuallyHidden>
    </div>
  );
}
