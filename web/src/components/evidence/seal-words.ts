// What a seal says, in the words of somebody who was promised something.
import type { Schemas } from "@/lib/api";
import { plural } from "@/lib/format";

export type Clause = Schemas["Clause"];
export type Proof = Schemas["Proof"];

interface Promised {
  promised: string;
  /** How much of it was shown. */
  shown: (held: number, all: number) => string;
  /** Where nothing stands against it, and nothing had to be shown. */
  nothing: string;
}

const of = (one: string, done: string) => (held: number, all: number) =>
  `${held === all ? "" : `${held} of `}${plural(all, one)} ${done}`;

const PROMISES: Record<string, Promised> = {
  phases: {
    promised: "Every phase is signed off",
    shown: of("phase", "signed off by the auditor"),
    nothing: "There was no phase to sign off",
  },
  gates: {
    promised: "Every gate is green on the sealed commit",
    shown: of("gate", "run once more, and green"),
    nothing: "The build had no gate",
  },
  criteria: {
    promised: "Every pass criterion is verified",
    shown: of("criterion", "verified"),
    nothing: "The contracts name no criterion",
  },
  errors: {
    promised: "No error is left open",
    shown: of("error", "dealt with"),
    nothing: "None is open",
  },
  findings: {
    promised: "No finding of the auditor is left open",
    shown: of("finding", "dealt with"),
    nothing: "None is open",
  },
  questions: {
    promised: "Every question was answered",
    shown: of("question", "answered"),
    nothing: "None is open",
  },
};

export const promiseOf = ({ clause }: Clause) => PROMISES[clause]?.promised ?? clause;

export function shownOf({ clause, proofs }: Clause): string {
  const words = PROMISES[clause];
  if (proofs.length === 0) return words?.nothing ?? "Nothing stands against it";
  const held = proofs.filter(({ standing }) => standing === "holds").length;
  const told = words?.shown ?? of("proof", "held");
  return told(held, proofs.length).replace("criterions", "criteria");
}

/** All of it in one sentence. */
export function toldOf(clauses: Clause[]): string {
  const kept = clauses.filter(({ standing }) => standing === "holds").length;
  return kept === clauses.length
    ? `All ${kept} promises of this build were kept`
    : `${kept} of ${plural(clauses.length, "promise")} of this build were kept`;
}

/** Everything that does not hold, the graver first. */
export const openProofs = (clauses: Clause[]) =>
  clauses
    .flatMap((clause) => clause.proofs.map((proof) => ({ clause, proof })))
    .filter(({ proof }) => proof.standing !== "holds")
    .sort((a, b) => Number(b.proof.standing === "broken") - Number(a.proof.standing === "broken"));
