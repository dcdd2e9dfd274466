import { Alert, Button, Card, Group, Stack, Text } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useStore } from "zustand";
import type { CodeHandle } from "@/components/code/code-text";
import { ConfirmButton } from "@/components/confirm-button";
import type { Contract, ContractFormat } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { notifyDone } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { messageOf } from "@/lib/problem";
import { fetchContract, useSaveContract } from "./api";
import classes from "./contract-editor.module.css";
import { EditConflict } from "./edit-conflict";
import { createEditSession, type EditState } from "./edit-session";
import { unsavedStore } from "./unsaved";
import { Waiting } from "./waiting";

const CodeText = lazy(() => import("@/components/code/code-text"));

/** A text that is being edited. */
export interface Editing {
  text: string;
  format: ContractFormat;
  /** Puts a piece where the cursor stands; without one, at the end. */
  onInsert: (piece: string) => void;
}

interface ContractEditorProps {
  projectId: string;
  contract: Contract;
  suggestions: (editing: Editing | null) => ReactNode;
}

/** Writes the next version of a contract. What is typed stays in this browser until it is saved. */
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
  const { refusal, theirs } = state;
  const mark = useMemo(
    () => (refusal?.line ? { line: refusal.line, problem: refusal.reason } : null),
    [refusal],
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
              title="Discard what you typed?"
              body="What is saved stays. What you typed since cannot be brought back."
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
        {refusal && (
          <Alert color="red" role="alert" mb="md" p="sm" title="Not saved: the text does not fit">
            {refusal.line && `Line ${refusal.line}: `}
            {refusal.reason}
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
          <Suspense fallback={<Waiting />}>
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
  if (theirs) return "Two versions: choose below.";
  if (!changed)
    return base.version > 0 ? `As in version ${base.version}.` : "The example, unchanged.";
  return kept
    ? "Not saved yet. Your text is kept in this browser."
    : "Not saved yet, and this browser has no room to keep it: save before you leave.";
}
