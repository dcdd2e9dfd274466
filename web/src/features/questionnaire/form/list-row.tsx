import { ActionIcon, Textarea } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { type ClipboardEvent, type KeyboardEvent, memo } from "react";
import { type FieldAttributes, inputAttributes } from "./field-attributes";
import classes from "./list-answer.module.css";
import type { RowActions } from "./use-list-rows";

interface ListRowProps {
  names: FieldAttributes;
  row: number;
  count: number;
  text: string;
  actions: RowActions;
}

export const ListRow = memo(function ListRow({ names, row, count, text, actions }: ListRowProps) {
  const nth = `item ${row + 1}`;

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, altKey, nativeEvent, currentTarget: field } = event;
    // Enter and arrows may belong to an input method.
    if (nativeEvent.isComposing) return;
    if (altKey && (key === "ArrowUp" || key === "ArrowDown")) {
      event.preventDefault();
      actions.move(row, key === "ArrowUp" ? -1 : 1, field.selectionStart);
    } else if (key === "Enter") {
      event.preventDefault();
      actions.split(row, [field.selectionStart, field.selectionEnd]);
    } else if (key === "Backspace" && text === "" && count > 1) {
      event.preventDefault();
      actions.remove(row);
    }
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const pasted = event.clipboardData.getData("text/plain");
    if (actions.paste(row, [selectionStart, selectionEnd], pasted)) event.preventDefault();
  };

  return (
    <li className={classes.row}>
      <Textarea
        flex={1}
        miw={0}
        attributes={inputAttributes({
          "aria-label": `Item ${row + 1} of ${count}`,
          "aria-describedby": names["aria-describedby"],
          "aria-required": names["aria-required"],
        })}
        error={names["aria-invalid"]}
        autosize
        minRows={1}
        value={text}
        onChange={(event) => actions.type(row, event.currentTarget.value.replace(/\n/g, " "))}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className={classes.buttons} data-idle={count === 1 && text === ""}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Move ${nth} up`}
          title="Move up (Alt + ↑)"
          disabled={row === 0}
          onClick={() => actions.move(row, -1, text.length)}
        >
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Move ${nth} down`}
          title="Move down (Alt + ↓)"
          disabled={row === count - 1}
          onClick={() => actions.move(row, 1, text.length)}
        >
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove ${nth}`}
          title="Remove"
          onClick={() => actions.remove(row)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </div>
    </li>
  );
});
