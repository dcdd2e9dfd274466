import { Button } from "@mantine/core";
import { IconArrowBackUp, IconPlus } from "@tabler/icons-react";
import type { FieldNames } from "./field-names";
import classes from "./list-answer.module.css";
import { ListRow } from "./list-row";
import { useRows } from "./use-rows";

interface ListAnswerProps {
  names: FieldNames;
  /** The question, for the name of what adds an item. */
  what: string;
  value: string[];
  onChange: (answer: string[]) => void;
}

/** Short items as rows: Enter adds one, Alt with an arrow moves it, several pasted lines are several. */
export function ListAnswer({ names, what, value, onChange }: ListAnswerProps) {
  const { items, list, told, hasRemoved, actions } = useRows(value, onChange);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be described by several texts
    <div role="group" id={names.id} aria-labelledby={names["aria-labelledby"]}>
      <ol className={classes.rows} ref={list}>
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
      </ol>
      <Button
        className={classes.add}
        variant="subtle"
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={`Add an item: ${what}`}
        onClick={actions.add}
      >
        Add an item
      </Button>
      {hasRemoved && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          onClick={actions.putBack}
        >
          Put the removed item back
        </Button>
      )}
      <span role="status" className="visually-hidden">
        {told}
      </span>
    </div>
  );
}
