import { Card, type CardProps, VisuallyHidden } from "@mantine/core";
import { useRef } from "react";
import { OFFER_COLORS } from "@/components/offer-card";
import { isRunning } from "@/domain/generation";
import { useCanEdit } from "@/domain/project-access";
import type { ContractSummary, Generation } from "@/lib/api";
import { Finished } from "./finished";
import { GenerateContracts, type OpenQuestion } from "./generate-contracts";
import { announcement, isSettled } from "./generation-labels";
import { Progress } from "./progress";
import { Stopped } from "./stopped";

interface GenerationPanelProps {
  projectId: string;
  contracts: ContractSummary[];
  /** The latest generation. */
  generation: Generation | null;
  /** Required questions without an answer. */
  unanswered: OpenQuestion[];
}

/** The colors of the card, if they are not the usual ones. */
const COLORS: Partial<Record<State, Pick<CardProps, "bg" | "bd">>> = {
  write: OFFER_COLORS,
  progress: { bd: OFFER_COLORS.bd },
};

type State = "write" | "progress" | "stopped" | "finished";

/** The generation of contracts: start, progress and result. */
export function GenerationPanel(props: GenerationPanelProps) {
  const { projectId, contracts, generation, unanswered } = props;
  const card = useRef<HTMLElement>(null);
  const mayChange = useCanEdit();
  const offered = stateOf(props);
  // Viewers cannot start or resume a generation.
  const state = mayChange || offered === "progress" || offered === "finished" ? offered : null;
  // The pressed button is removed; the focus stays on the panel.
  const stay = () => card.current?.focus();
  const unwritten = contracts.filter(({ source }) => source === "template").length;
  return (
    <>
      <VisuallyHidden component="span" role="status">
        {generation && state !== "write" && announcement(generation)}
      </VisuallyHidden>
      {state && (
        <Card
          component="section"
          ref={card}
          tabIndex={-1}
          aria-label="Contract generation"
          {...COLORS[state]}
        >
          {state === "write" && (
            <GenerateContracts
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

function stateOf({ contracts, generation, unanswered }: GenerationPanelProps): State | null {
  if (generation && isRunning(generation)) return "progress";
  const hasStopped = generation?.status === "failed" || generation?.status === "cancelled";
  if (generation && hasStopped && !isSettled(generation, contracts)) return "stopped";
  const isWritten = ({ source }: ContractSummary) => source !== "template";
  // Contracts that come from elsewhere, such as a spec, need no answers.
  if (unanswered.length > 0 && contracts.some(isWritten)) return null;
  if (!contracts.every(isWritten)) return "write";
  return generation?.status === "done" ? "finished" : null;
}
