import { Button, Textarea } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { DialogActions } from "@/components/dialog-actions";
import { FormModal } from "@/components/form-modal";

/** The server's maximum. */
const MAX_REASON_LENGTH = 500;

interface ReasonDialogProps {
  opened: boolean;
  title: string;
  label: string;
  description?: string;
  /** The label of the button. */
  send: string;
  optional?: boolean;
  children?: ReactNode;
  onSend: (reason: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks why a user settles something. Stays open if that fails. */
export function ReasonDialog({ opened, title, onClose, ...form }: ReasonDialogProps) {
  return (
    <FormModal opened={opened} onClose={onClose} title={title} centered>
      <ReasonForm {...form} onClose={onClose} />
    </FormModal>
  );
}

type ReasonFormProps = Omit<ReasonDialogProps, "opened" | "title">;

function ReasonForm({
  label,
  description = "Shown with your name in the seal.",
  send,
  optional,
  children,
  onSend,
  onClose,
}: ReasonFormProps) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const trimmed = reason.trim();
  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    const isSent = await onSend(trimmed).then(
      () => true,
      () => false,
    );
    if (isSent) onClose();
    else setBusy(false);
  }
  return (
    <form onSubmit={submit}>
      {children}
      <Textarea
        label={label}
        description={description}
        autosize
        minRows={2}
        maxLength={MAX_REASON_LENGTH}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={busy} disabled={!optional && trimmed === ""}>
          {send}
        </Button>
      </DialogActions>
    </form>
  );
}
