import type { GateRerun, RerunGate } from "@/lib/api";
import { formatSpan, plural } from "@/lib/format";

export function agreesWithSeal(gate: RerunGate): boolean {
  return gate.out_of == null && gate.passed === gate.passed_at_seal;
}

export function gateLabel(gate: RerunGate): string {
  if (gate.out_of != null) {
    return `ran out of ${gate.out_of === "disk" ? "disk space" : gate.out_of}: no result`;
  }
  const result = gate.passed ? "passed" : "failed";
  if (agreesWithSeal(gate)) return `${result}, as before the seal`;
  return `${result}; before the seal it ${gate.passed_at_seal ? "passed" : "failed"}`;
}

export function factsLabel(gate: RerunGate): string {
  const { exit_code, duration_ms, sandbox, tests, required } = gate;
  const facts = [
    `exit code ${exit_code ?? "none"}`,
    formatSpan(duration_ms),
    tests &&
      `${plural(tests.passed, "test")} passed, ${tests.failed} failed, ${tests.skipped} skipped`,
    sandbox && `sandbox ${sandbox}`,
    !required && "optional",
  ];
  return facts.filter(Boolean).join(" · ");
}

/** The state of a run, or how its results compare with the seal. */
export function summaryLabel(rerun: GateRerun): string {
  const { state, results } = rerun;
  switch (state) {
    case "waiting":
      return "Waiting for a worker.";
    case "running":
      return `Running. ${plural(results.length, "result")} so far.`;
    case "failed":
      return `The gates could not be run: ${rerun.failure}.`;
    case "finished": {
      if (results.length === 0) return "The build has no gates with a command.";
      const different = results.filter((gate) => !agreesWithSeal(gate)).length;
      if (different === 0) return "All results are the same as before the seal.";
      return `${different} of ${plural(results.length, "result")} ${
        different === 1 ? "differs" : "differ"
      } from the seal.`;
    }
  }
}

export function isUnfinished(rerun: GateRerun | undefined): boolean {
  return rerun?.state === "waiting" || rerun?.state === "running";
}
