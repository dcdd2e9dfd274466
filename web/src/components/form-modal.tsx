import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useUnsavedChanges } from "@/lib/unsaved-changes";
import { ConfirmModal } from "./confirm-modal";

/** A dialog with a form. Asks before what was typed is lost by Escape, a click outside, or leaving the page. */
export function FormModal({ opened, onClose, children, ...modal }: ModalProps) {
  const content = useRef<HTMLDivElement>(null);
  const isEdited = useRef(false);
  /** Sending usually closes the dialog, or leads to another page. */
  const isSent = useRef(false);
  const [asks, setAsks] = useState(false);
  useEffect(() => {
    if (opened) isEdited.current = false;
  }, [opened]);

  function hasText(): boolean {
    const fields = content.current?.querySelectorAll<HTMLInputElement>("input, textarea") ?? [];
    return isEdited.current && [...fields].some(({ value }) => value.trim() !== "");
  }
  useUnsavedChanges(() => hasText() && !isSent.current);

  return (
    <>
      <Modal
        {...modal}
        opened={opened}
        onClose={() => (hasText() ? setAsks(true) : onClose())}
        closeOnEscape={!asks}
      >
        <div
          ref={content}
          onInput={() => {
            isEdited.current = true;
            isSent.current = false;
          }}
          onSubmit={() => {
            isSent.current = true;
          }}
        >
          {children}
        </div>
      </Modal>
      <ConfirmModal
        opened={asks}
        title="Discard what you wrote?"
        body="It has not been sent."
        confirm="Discard"
        dismiss="Keep writing"
        onConfirm={onClose}
        onClose={() => setAsks(false)}
      />
    </>
  );
}
