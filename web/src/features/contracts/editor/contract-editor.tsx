import { Alert, Button, Card, Group, Stack, Text } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useStore } from "zustand";
import { CenteredLoader } from "@/components/centered-loader";
import type { CodeHandle } from "@/components/code/code-text";
import { ConfirmButton } from "@/components/confirm-button";
import { contractName } from "@/domain/contract-names";
import type { Contract, ContractFormat } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { notifyDone } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { fetchContract, useSaveContract } from "../api";
import classes from "./contract-editor.module.css";
import { EditConflict } from "./edit-conflict";
import { createEditSession, type EditState } from "./edit-session";
import { unsavedStore } from "./unsaved-edits";

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
  const [session] = useState(() =>
    createEditSession(contract, {
      save: (content, version) => mutateAsync({ content, version }),
      fetch: () => fetchContract(projectId, type),
      unsaved: unsavedStore(projectId, type),
    }),
  );
  const state = useStore(session.store);
  const { validationError, theirs } = state;
  const mark = useMemo(
    () =>
      validationError?.line
        ? { line: validationError.line, problem: validationError.reason }
        : null,
    [validationError],
  );
  const code = useRef<CodeHandle>(null);
  const changed = state.text !== state.base.content;
  const leave = () => navigate(paths.contract(projectId, type));
  const saved = (done: boolean) => {
    if (!done) return;
    notifyDone(`Saved as version ${session.store.getState().base.version}.`);
    leave();
  };
  const save = async () => saved(await session.save());
  const discard = () => {
    session.discard();
    leave();
  };

  return (
    <Stack gap="md">
      <Card bg="var(--surface)" className={classes.card}>
        <Group className={classes.bar} gap="xs">
          <Text fz="sm" c="dimmed" role="status" className={classes.status}>
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
          <Button onClick={save} loading={state.saving} disabled={!changed || theirs !== null}>
            Save
          </Button>
        </Group>
        {validationError && (
          <Alert color="red" role="alert" mb="md" p="sm" title="Not saved: invalid contract">
            {validationError.line && `Line ${validationError.line}: `}
            {validationError.reason}
          </Alert>
        )}
        {state.error !== null && (
          <Alert color="red" role="alert" mb="md" p="sm" title="Not saved">
            {messageOf(state.error)}
          </Alert>
        )}
        {theirs ? (
          <EditConflict
            mine={state.text}
            theirs={theirs}
            onType={session.type}
            onKeepMine={async () => saved(await session.keepMine(state.text))}
            onTakeTheirs={session.takeTheirs}
          />
        ) : (
          <Suspense fallback={<CenteredLoader />}>
            <CodeText
              handle={code}
              text={state.text}
              format={format}
              label={`${contractName(type)} to edit`}
              mark={mark}
              onChange={session.type}
              onSave={save}
            />
          </Suspense>
        )}
      </Card>
      {!theirs &&
        suggestions({
          text: state.text,
          format,
          onInsert: (piece) => code.current?.insert(piece),
        })}
    </Stack>
  );
}

function statusWords({ kept, theirs, base }: EditState, changed: boolean): string {
  if (theirs) return "Conflict: choose a version below.";
  if (!changed)
    return base.version > 0 ? `Same as version ${base.version}.` : "The example, unchanged.";
  return kept
    ? "Unsaved changes are kept in this browser."
    : "Unsaved changes cannot be kept in this browser. Save before you leave.";
}
