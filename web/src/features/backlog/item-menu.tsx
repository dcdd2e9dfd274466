import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconPencil,
  IconPlayerStop,
  IconTrash,
} from "@tabler/icons-react";
import { ConfirmModal } from "@/components/confirm-modal";
import type { BacklogItem } from "./api";

interface ItemMenuProps {
  item: BacklogItem;
  onEdit: (() => void) | undefined;
  /** Undefined where there is no place in this direction. */
  onMoveUp: (() => void) | undefined;
  onMoveDown: (() => void) | undefined;
  onWithdraw: (() => void) | undefined;
  onDelete: (() => void) | undefined;
}

/** What the owner can do with an item, besides starting it. */
export function ItemMenu(props: ItemMenuProps) {
  const { item, onEdit, onMoveUp, onMoveDown, onWithdraw, onDelete } = props;
  const [asks, { open, close }] = useDisclosure(false);
  const icon = { size: 16, "aria-hidden": true } as const;
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Actions for ${item.title}`}
          >
            <IconDots {...icon} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {onEdit && (
            <Menu.Item leftSection={<IconPencil {...icon} />} onClick={onEdit}>
              Edit
            </Menu.Item>
          )}
          {onMoveUp && (
            <Menu.Item leftSection={<IconArrowUp {...icon} />} onClick={onMoveUp}>
              Move up
            </Menu.Item>
          )}
          {onMoveDown && (
            <Menu.Item leftSection={<IconArrowDown {...icon} />} onClick={onMoveDown}>
              Move down
            </Menu.Item>
          )}
          {onWithdraw && (
            <Menu.Item leftSection={<IconPlayerStop {...icon} />} onClick={onWithdraw}>
              Do not start
            </Menu.Item>
          )}
          {onDelete && (
            <Menu.Item leftSection={<IconTrash {...icon} />} onClick={open}>
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {onDelete && (
        <ConfirmModal
          opened={asks}
          onClose={close}
          title={`Delete ${item.title}?`}
          body="Items that depend on it no longer wait for it. Its builds and branches are kept."
          confirm="Delete"
          onConfirm={onDelete}
        />
      )}
    </>
  );
}
