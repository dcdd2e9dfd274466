// Labels for the clauses of a seal.
import type { Schemas } from "@/lib/api";
import { plural } from "@/lib/format";

export type Clause = Schemas["Clause"];
export type Proof = Schemas["Proof"];

interface Condition {
  promised: string;
  /** How many of its proofs passed. */
  shown: (held: number, all: number) => string;
  /** If there are no proofs. */
  nothing: string;
}

const of = (one: string, done: string) => (held: number, all: number) =>
  `${held === all ? "" : `${held} of `}${plural(all, one)} ${done}`;

const CONDITIONS: Record<string, Condition> = {
  phases: {
    promised: "Every phase is signed off",
    shown: of("phase", "signed off"),
    nothing: "There were no phases",
  },
  gates: {
    promised: "Every gate passes on the sealed commit",
    shown: of("gate", "passed on the sealed commit"),
    nothing: "The build had no gates",
  },
  criteria: {
    promised: "Every exit criterion is met",
    shown: of("criterion", "verified"),
    nothing: "The contracts have no criteria",
  },
  requirements: {
    promised: "Every requirement is proven",
    shown: of("requirement", "proven"),
    nothing: "The blueprint gives its requirements no ids",
  },
  errors: {
    promised: "No open errors",
    shown: of("error", "resolved"),
    nothing: "None",
  },
  findings: {
    promised: "No open audit findings",
    shown: of("finding", "resolved"),
    nothing: "None",
  },
  questions: {
    promised: "All questions are answered",
    shown: of("question", "answered"),
    nothing: "None",
  },
  tests: {
    promised: "The tests check the change",
    shown: of("check", "passed"),
    nothing: "The tests were not checked",
  },
};

export const conditionLabel = ({ clause }: Clause) => CONDITIONS[clause]?.promised ?? clause;

export function evidenceLabel({ clause, proofs }: Clause): string {
  const words = CONDITIONS[clause];
  if (proofs.length === 0) return words?.nothing ?? "No evidence required";
  const held = proofs.filter(({ standing }) => standing === "holds").length;
  const describe = words?.shown ?? of("proof", "held");
  return describe(held, proofs.length).replace("criterions", "criteria");
}

/** All of it in one sentence. */
export function summaryOf(clauses: Clause[]): string {
  const met = clauses.filter(({ standing }) => standing === "holds").length;
  return met === clauses.length
    ? `All ${met} conditions are met`
    : `${met} of ${plural(clauses.length, "condition")} are met`;
}

/** Everything that does not hold, most severe first. */
export const openProofs = (clauses: Clause[]) =>
  clauses
    .flatMap((clause) => clause.proofs.map((proof) => ({ clause, proof })))
    .filter(({ proof }) => proof.standing !== "holds")
    .sort((a, b) => Number(b.proof.standing === "broken") - Number(a.proof.standing === "broken"));
