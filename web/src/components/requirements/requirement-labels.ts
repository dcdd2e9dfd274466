import type { Schemas } from "@/lib/api";
import { capitalized } from "@/lib/format";
import type { Tone } from "@/lib/tone";

interface Label {
  label: string;
  tone: Tone;
}

export type RequirementState = Schemas["RequirementState"];

export const STATES: Record<RequirementState, Label> = {
  proven: { label: "Proven", tone: "good" },
  open: { label: "Open", tone: "waiting" },
  not_proven: { label: "Not proven", tone: "bad" },
  stale: { label: "Changed since", tone: "waiting" },
  not_built: { label: "Not built yet", tone: "neutral" },
};

const STANDINGS: Record<Schemas["Standing"], RequirementState> = {
  holds: "proven",
  open: "open",
  broken: "not_proven",
};

export const stateOf = (standing: Schemas["Standing"]): RequirementState => STANDINGS[standing];

const PROOFS: Record<Schemas["ProofType"]["type"], string> = {
  test: "Test",
  command: "Command",
  review: "Review",
  person: "Confirmation by a person",
};

export const proofLabel = ({ type }: Schemas["ProofType"]): string => PROOFS[type];

export const isAssumption = (requirement: Schemas["Requirement"]): boolean =>
  requirement.source === "assumed";

/** “Phase 0, 2”, or null. */
export const phasesLabel = (phases: number[]): string | null =>
  phases.length === 0 ? null : `Phase ${phases.join(", ")}`;

/** “It is proven, …” as a sentence. */
export const sentence = (reason: string): string => `${capitalized(reason)}.`;
