import { Card } from "@mantine/core";
import { useRef } from "react";
import type { ContractSummary, Generation } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";
import { useMayChange } from "@/lib/project-role";
import { Finished } from "./finished";
import classes from "./generation.module.css";
import { isSettled, spokenWords } from "./generation-words";
import { Progress } from "./progress";
import { Stopped } from "./stopped";
import { type OpenQuestion, WriteContracts } from "./write-contracts";

interface GenerationPanelProps {
  projectId: string;
  contracts: ContractSummary[];
  /** The newest run. */
  generation: Generation | null;
  /** Required questions without an answer. */
  unanswered: OpenQuestion[];
}

type State = "write" | "progress" | "stopped" | "finished";

/** From the first contract to the last: what can be started, how far it is, and what came of it. */
export function GenerationPanel(props: GenerationPanelProps) {
  const { projectId, contracts, generation, unanswered } = props;
  const card = useRef<HTMLElement>(null);
  const mayChange = useMayChange();
  const offered = stateOf(props);
  // What can only be started or resumed is nothing to who may only look.
  const state = mayChange || offered === "progress" || offered === "finished" ? offered : null;
  // The button that was pressed goes away; who pressed it stays at the same place.
  const stay = () => card.current?.focus();
  const unwritten = contracts.filter(({ source }) => source === "template").length;
  return (
    <>
      <span role="status" className="visually-hidden">
        {generation && state !== "write" && spokenWords(generation)}
      </span>
      {state && (
        <Card
          component="section"
          ref={card}
          tabIndex={-1}
          aria-label="Writing contracts"
          className={classes.card}
          data-state={state}
          bg="var(--surface)"
        >
          {state === "write" && (
            <WriteContracts
              projectId={projectId}
              unwritten={unwritten}
              unanswered={unanswered}
              onStarted={stay}
            />
          )}
          {generation && state === "progress" && (
            <Progress key={generation.id} generation={generation} onCancelled={stay} />
          )}
          {generation && state === "stopped" && (
            <Stopped key={generation.id} generation={generation} onResumed={stay} />
          )}
          {generation && state === "finished" && <Finished generation={generation} />}
        </Card>
      )}
    </>
  );
}

function stateOf({ contracts, generation }: GenerationPanelProps): State | null {
  if (generation && isUnderWay(generation)) return "progress";
  const hasStopped = generation?.status === "failed" || generation?.status === "cancelled";
  if (generation && hasStopped && !isSettled(generation, contracts)) return "stopped";
  if (contracts.some(({ source }) => source === "template")) return "write";
  return generation?.status === "done" ? "finished" : null;
}
