import { Button, Group, Modal, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { ConfirmButton } from "@/components/confirm-button";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { type ProjectRequirement, type RequirementChange, useChangeRequirement } from "./api";

/** The server's maximum. */
const MAX_TEXT_LENGTH = 2_000;

interface AssumptionActionsProps {
  projectId: string;
  version: number;
  requirement: ProjectRequirement;
}

/** Confirms, changes or removes an assumption. */
export function AssumptionActions({ projectId, version, requirement }: AssumptionActionsProps) {
  const { id, text } = requirement;
  const change = useChangeRequirement(projectId, version);
  const [editing, editor] = useDisclosure(false);
  // A promise, because a confirmed requirement leaves the list and takes this component with it.
  const apply = (next: RequirementChange, done: string) =>
    change.mutateAsync(next).then(
      () => {
        editor.close();
        notifyDone(done);
      },
      (error) => notifyFailed(`Could not change ${id}`, error),
    );
  return (
    <Group gap="xs">
      <Button
        size="xs"
        loading={change.isPending}
        aria-label={`Confirm ${id}`}
        onClick={() => apply({ kind: "confirm", id }, `${id} is confirmed.`)}
      >
        Confirm
      </Button>
      <Button size="xs" variant="default" aria-label={`Change ${id}`} onClick={editor.open}>
        Change
      </Button>
      <ConfirmButton
        size="xs"
        variant="default"
        aria-label={`Remove ${id}`}
        title={`Remove ${id}?`}
        body="It is removed from the blueprint with its scenarios. Earlier versions of the blueprint keep it. Phases that cover it must be changed before the next build."
        confirm="Remove"
        onConfirm={() => apply({ kind: "remove", id }, `${id} was removed.`)}
      >
        Remove
      </ConfirmButton>
      <Modal opened={editing} onClose={editor.close} title={`Change ${id}`}>
        <EditRequirement
          text={text}
          saving={change.isPending}
          onSave={(text) => apply({ kind: "reword", id, text }, `${id} was changed.`)}
          onCancel={editor.close}
        />
      </Modal>
    </Group>
  );
}

interface EditRequirementProps {
  text: string;
  saving: boolean;
  onSave: (text: string) => void;
  onCancel: () => void;
}

function EditRequirement({ text: initial, saving, onSave, onCancel }: EditRequirementProps) {
  const [text, setText] = useState(initial);
  // A requirement is one item of a list.
  const trimmed = text.replace(/\s+/g, " ").trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(trimmed);
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Requirement"
        autosize
        minRows={3}
        maxLength={MAX_TEXT_LENGTH}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={saving} disabled={trimmed === ""}>
          Save and confirm
        </Button>
      </Group>
    </form>
  );
}
