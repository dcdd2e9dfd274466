import { Alert, Button, Card, Group, Stack, Text } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useStore } from "zustand";
import { CenteredLoader } from "@/components/centered-loader";
import type { CodeHandle } from "@/components/code/code-text";
import { ConfirmButton } from "@/components/confirm-button";
import { ConfirmModal } from "@/components/confirm-modal";
import { ConflictAlert, VersionActions } from "@/components/conflict-alert";
import { contractName } from "@/domain/contract-names";
import type { Contract, ContractFormat } from "@/lib/api";
import { messageOf, needsConfirmation } from "@/lib/api-error";
import { createDraftSaver, type DraftState } from "@/lib/draft-saver";
import { notifyDone } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { fetchContract, useSaveContract } from "../api";
import classes from "./contract-editor.module.css";
import { createUnsavedText } from "./unsaved-text";
import { validationErrorOf } from "./validation-error";

const CodeMerge = lazy(() => import("@/components/code/code-merge"));
const CodeText = lazy(() => import("@/components/code/code-text"));

/** The text in the editor. */
export interface Editing {
  text: string;
  format: ContractFormat;
  /** Inserts text at the cursor, or at the end. */
  onInsert: (piece: string) => void;
}

interface ContractEditorProps {
  projectId: string;
  contract: Contract;
  suggestions: (editing: Editing | null) => ReactNode;
}

/** Edits a contract. Unsaved text is kept in the browser. */
export function ContractEditor({ projectId, contract, suggestions }: ContractEditorProps) {
  const { type, format } = contract;
  const navigate = useNavigate();
  const { mutateAsync } = useSaveContract(projectId, type);
  const confirmed = useRef(false);
  const [dismissed, setDismissed] = useState<unknown>(null);
  const [saver] = useState(() => {
    const unsaved = createUnsavedText(projectId, type);
    return createDraftSaver<string, Contract>(
      contract,
      {
        draftOf: ({ content }) => content,
        same: (one, other) => one === other,
        save: (content, version) => mutateAsync({ content, version, confirm: confirmed.current }),
        fetch: () => fetchContract(projectId, type),
        keep: unsaved.keep,
      },
      unsaved.read(contract),
    );
  });
  const state = useStore(saver.store);
  const { draft, error, theirs } = state;
  const saving = state.status === "saving";
  const validationError = useMemo(() => validationErrorOf(error), [error]);
  const mark = useMemo(
    () =>
      validationError?.line
        ? { line: validationError.line, problem: validationError.reason }
        : null,
    [validationError],
  );
  const code = useRef<CodeHandle>(null);
  const changed = draft !== state.saved.content;
  const leave = () => navigate(paths.contract(projectId, type));
  const saved = (done: boolean) => {
    if (!done) return;
    notifyDone(`Saved as version ${saver.store.getState().saved.version}.`);
    leave();
  };
  const save = async () => saved(!saving && (await saver.flush()));
  const confirm = async () => {
    confirmed.current = true;
    await save();
    confirmed.current = false;
  };
  const discard = () => {
    saver.discard();
    leave();
  };

  return (
    <Stack gap="md">
      <Card className={classes.card}>
        <Group className={classes.bar} gap="xs">
          <Text fz="sm" c="dimmed" role="status" flex="1 1 12rem">
            {statusWords(state, changed)}
          </Text>
          {changed ? (
            <ConfirmButton
              variant="default"
              title="Discard changes?"
              body="Your unsaved changes will be lost."
              confirm="Discard"
              onConfirm={discard}
            >
              Discard
            </ConfirmButton>
          ) : (
            <Button variant="default" component={Link} to={paths.contract(projectId, type)}>
              Close
            </Button>
          )}
          <Button onClick={save} loading={saving} disabled={!changed || theirs !== null}>
            Save
          </Button>
        </Group>
        {validationError && !saving && (
          <Alert color="red" role="alert" mb="md" p="sm" title="Not saved: invalid contract">
            {validationError.line && `Line ${validationError.line}: `}
            {validationError.reason}
          </Alert>
        )}
        {error !== null && !validationError && !saving && (
          <Alert color="red" role="alert" mb="md" p="sm" title="Not saved">
            {messageOf(error)}
          </Alert>
        )}
        {theirs ? (
          <Stack gap="md">
            <ConflictAlert
              title={`Version ${theirs.version} was saved while you were editing`}
              hint="Copy what you need from the other version, then keep yours. The other version stays in the history."
              actions={
                <VersionActions
                  other={`version ${theirs.version}`}
                  onKeepMine={async () => saved(await saver.resolve(draft))}
                  onUseOther={saver.discard}
                />
              }
            />
            <Suspense fallback={<CenteredLoader />}>
              <CodeMerge
                format={format}
                mine={draft}
                theirs={theirs.content}
                onChange={saver.type}
              />
            </Suspense>
          </Stack>
        ) : (
          <Suspense fallback={<CenteredLoader />}>
            <CodeText
              handle={code}
              text={draft}
              format={format}
              label={`${contractName(type)} to edit`}
              mark={mark}
              onChange={saver.type}
              onSave={save}
            />
          </Suspense>
        )}
      </Card>
      <ConfirmModal
        opened={needsConfirmation(error) && !saving && error !== dismissed}
        title="Save a much shorter contract?"
        body={`The new text has less than a fifth of the length of version ${state.saved.version}. That version stays in the history and can be restored.`}
        confirm="Save anyway"
        onConfirm={confirm}
        onClose={() => setDismissed(error)}
      />
      {!theirs &&
        suggestions({
          text: draft,
          format,
          onInsert: (piece) => code.current?.insert(piece),
        })}
    </Stack>
  );
}

function statusWords(
  { kept, theirs, saved }: DraftState<string, Contract>,
  changed: boolean,
): string {
  if (theirs) return "Conflict: choose a version below.";
  if (!changed)
    return saved.version > 0 ? `Same as version ${saved.version}.` : "The example, unchanged.";
  return kept
    ? "Unsaved changes are kept in this browser."
    : "Unsaved changes cannot be kept in this browser. Save before you leave.";
}
