import { Alert, Box, Button, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { DialogActions } from "@/components/dialog-actions";
import { isStatus, messageOf } from "@/lib/api-error";
import { plural } from "@/lib/format";
import { notifyDone } from "@/lib/notify";
import { AnswerText } from "../answers/answer-text";
import { questionAt } from "../answers/draft";
import { fieldErrors } from "../answers/field-errors";
import type { AnswersForm } from "../answers/use-answers";
import { type Change, changesOf, type FileAnswers } from "./answers-file";

interface ImportAnswersProps {
  form: AnswersForm;
  imported: FileAnswers;
  onClose: () => void;
}

/** Shows the changes of an import before applying them. */
export function ImportAnswers({ form, imported, onClose }: ImportAnswersProps) {
  const { saver, state } = form;
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { draft } = state;
  const changes = changesOf(draft.answers, imported.answers);
  const size = imported.size ?? draft.size;
  const errors = fieldErrors(error);
  const fitting = changes.filter(({ key }) => !errors[key]);
  const refused = changes.length - fitting.length;

  const take = async () => {
    setBusy(true);
    setError(null);
    try {
      await saver.flush();
      const { status, draft } = saver.store.getState();
      if (status !== "saved")
        throw new Error("Your changes could not be saved. Resolve this before importing.");
      const answers = { ...draft.answers };
      for (const { key, to } of fitting) answers[key] = to;
      await saver.submit({ size, answers });
      notifyDone(`${plural(fitting.length, "answer")} imported.`);
      onClose();
    } catch (error) {
      setError(error);
      if (isStatus(error, 409)) await form.refresh();
    } finally {
      setBusy(false);
    }
  };

  const nothing = changes.length === 0 && size === draft.size;
  return (
    <Modal opened onClose={onClose} title="Import answers" size="lg">
      <Text fz="sm">
        {nothing
          ? "The form already contains the answers in this file."
          : `${plural(changes.length, "answer")} will change. Other answers are kept.`}
        {size !== draft.size && ` Switches to the ${size} form.`}
      </Text>
      {error !== null && (
        <Alert color="red" role="alert" mt="sm" p="sm">
          {refused > 0
            ? `Nothing was imported: ${plural(refused, "answer")} could not be saved.`
            : messageOf(error)}
        </Alert>
      )}
      <Stack component="ul" gap={12} mt={16} className="plain-list">
        {changes.map((change) => (
          <ChangeRow
            key={change.key}
            change={change}
            label={questionAt(state.saved.sections, change.key)?.label}
            error={errors[change.key]}
          />
        ))}
      </Stack>
      <DialogActions cancel={nothing ? "Close" : "Cancel"} onCancel={onClose}>
        {!nothing && (fitting.length > 0 || size !== draft.size) && (
          <Button loading={busy} onClick={take}>
            {refused > 0 ? `Import the other ${fitting.length}` : "Import"}
          </Button>
        )}
      </DialogActions>
    </Modal>
  );
}

interface ChangeRowProps {
  change: Change;
  label: string | undefined;
  error: string | undefined;
}

function ChangeRow({ change, label, error }: ChangeRowProps) {
  return (
    <Box component="li" p={12} bd="1px solid var(--line)" bdrs="md">
      <Text fz="sm" fw={600}>
        {label ?? change.key}
      </Text>
      {error && (
        <Text fz="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
      {change.from !== undefined && (
        <Box mt="xs">
          <Text fz="xs" c="dimmed">
            Current
          </Text>
          <AnswerText answer={change.from} lines={4} />
        </Box>
      )}
      <Box mt="xs">
        <Text fz="xs" c="dimmed">
          {change.from === undefined ? "New" : "From file"}
        </Text>
        <AnswerText answer={change.to} lines={4} />
      </Box>
    </Box>
  );
}
