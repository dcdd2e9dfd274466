import { Button, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifyFailed } from "@/lib/notify";
import { ReasonDialog } from "../reason-dialog";
import { type Settlement, useSettleItem } from "./api";

interface SettleButtonProps {
  buildId: string;
  /** The label of the button, a verb. */
  action: string;
  /** What is settled. */
  item: string;
  /** The label of the field for the reason. */
  label: string;
  optional?: boolean;
  settlement: (reason: string) => Settlement;
}

/** Settles an item after asking for the reason. */
export function SettleButton({
  buildId,
  action,
  item,
  label,
  optional,
  settlement,
}: SettleButtonProps) {
  const settle = useSettleItem(buildId);
  const [opened, dialog] = useDisclosure(false);
  const send = (reason: string) =>
    settle.mutateAsync(settlement(reason)).catch((error) => {
      notifyFailed(`Could not ${action.toLowerCase()} the item`, error);
      throw error;
    });
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {action}
        <VisuallyHidden component="span"> {item.slice(0, 60)}</VisuallyHidden>
      </Button>
      <ReasonDialog
        opened={opened}
        title={action}
        label={label}
        send={action}
        optional={optional}
        onSend={send}
        onClose={dialog.close}
      >
        <Text fz="sm" mb="sm" style={{ overflowWrap: "anywhere" }}>
          {item}
        </Text>
      </ReasonDialog>
    </>
  );
}
