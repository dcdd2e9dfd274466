import { notifyFailed } from "@/lib/notify";
import { type BacklogItem, type ItemCommand, useItemCommand } from "./api";
import classes from "./board.module.css";
import { ItemCard } from "./item-card";
import { placeAfterStep } from "./item-labels";
import { ItemMenu } from "./item-menu";
import { useReorder } from "./use-reorder";

interface OwnedItemsProps {
  projectId: string;
  column: BacklogItem[];
  /** All items of the project. */
  items: BacklogItem[];
  /** Whether the order in this column matters. */
  isOrdered: boolean;
  onEdit: (item: BacklogItem) => void;
}

/** The items of a column, with what their owner can do with them. */
export function OwnedItems({ projectId, column, items, isOrdered, onEdit }: OwnedItemsProps) {
  const command = useItemCommand(projectId);
  const run = (item: BacklogItem, wanted: ItemCommand, what: string) =>
    command.mutate(
      { item: item.id, command: wanted },
      { onError: (error) => notifyFailed(`Could not ${what} the item`, error) },
    );
  const all = items.map(({ id }) => id);
  const ids = column.map(({ id }) => id);
  const reorder = useReorder(all, (id, before) => {
    const moved = items.find((item) => item.id === id);
    if (moved) run(moved, { kind: "move", before }, "move");
  });
  const step = (item: BacklogItem, by: -1 | 1) => {
    const before = isOrdered ? placeAfterStep(item.id, by, ids, all) : undefined;
    if (before === undefined) return undefined;
    return () => run(item, { kind: "move", before }, "move");
  };
  return column.map((item) => {
    const isOpen = item.is_startable || item.start_requested;
    const isBuilding = item.state === "running" || (item.state === "needs_you" && !isOpen);
    return (
      <li key={item.id} className={classes.item} {...(isOrdered && reorder(item.id))}>
        <ItemCard
          item={item}
          items={items}
          onStart={item.is_startable ? () => run(item, { kind: "start" }, "start") : undefined}
          menu={
            !isBuilding && (
              <ItemMenu
                item={item}
                onEdit={isOpen ? () => onEdit(item) : undefined}
                onMoveUp={step(item, -1)}
                onMoveDown={step(item, 1)}
                onWithdraw={
                  item.start_requested
                    ? () => run(item, { kind: "withdraw" }, "withdraw")
                    : undefined
                }
                onDelete={() => run(item, { kind: "delete" }, "delete")}
              />
            )
          }
        />
      </li>
    );
  });
}
