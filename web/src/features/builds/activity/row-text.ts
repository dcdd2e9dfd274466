// The text that an expanded row displays, without its time. It is what the search matches.

import { resolutionOf } from "@/domain/error-resolution";
import { failureOf } from "@/domain/failing-test";
import { agentText } from "@/domain/feed/agent-text";
import { actorName, type Payload } from "@/domain/feed/event";
import { roleName } from "@/domain/role-names";
import { VERDICT } from "@/domain/verdict";
import { formatSpan, plural, shortSha } from "@/lib/format";
import type { Row } from "./row";
import { gateResult, taskLabel, unansweredLabel } from "./row-labels";
import { editionOf, pretty, SLOW_CALL_MS, toolLabel } from "./tool-labels";

type Part = string | number | null | undefined | false;

/** In lower case, with single spaces. */
export const rowText = (row: Row): string =>
  partsOf(row)
    .filter((part) => part != null && part !== false && part !== "")
    .join(" ")
    .replace(/\s+/g, " ")
    .toLowerCase();

function partsOf(row: Row): Part[] {
  switch (row.kind) {
    case "phase":
      return ["Phase", row.number, row.title];
    case "phase-complete": {
      const { length } = row.deliverables;
      return [`Phase ${row.number} is signed off`, length > 0 && plural(length, "deliverable")];
    }
    case "agent":
      return [roleName(row.role), taskLabel(row.task), "·", row.model, "Open transcript"];
    case "turn":
      return [roleName(row.role), "says:", withoutBackticks(agentText(row.payload.text ?? ""))];
    case "tool":
      return toolParts(row);
    case "gate":
      return gateParts(row);
    case "commit":
      return commitParts(row);
    case "question":
      return [row.payload.question, row.payload.context];
    case "answer":
      return row.payload.how === "answered"
        ? [actorName(row.payload.by), "answered:", row.payload.answer]
        : [unansweredLabel(row.payload.how)];
    case "error":
      return errorParts(row.payload);
    case "resolved":
      return ["Error resolved:", resolutionOf(row.payload.method)];
    case "seal":
      return sealParts(row.payload);
    case "note":
      return [withoutBackticks(row.text), row.detail && withoutBackticks(row.detail)];
  }
}

function toolParts({ started, finished, change, read }: Row & { kind: "tool" }): Part[] {
  const { verb, subject } = toolLabel(started?.tool ?? finished?.tool ?? "a tool", started?.input);
  const duration = finished?.duration_ms ?? 0;
  return [
    verb,
    subject,
    ...(change ? countParts(change) : []),
    read && editionOf(read, subject),
    duration >= SLOW_CALL_MS && formatSpan(duration),
    started && `Input ${pretty(started.input)}`,
    finished?.output && `${finished.ok ? "Result" : "Error"} ${finished.output}`,
  ];
}

function gateParts({ started, finished, log }: Row & { kind: "gate" }): Part[] {
  const command = finished?.command || started.command || "built in";
  if (!finished) return [`Gate ${started.gate} runs… Command`, command];
  return [
    `Gate ${started.gate} ${gateResult(finished)}`,
    finished.duration_ms !== undefined && formatSpan(finished.duration_ms),
    finished.required === false && "Optional",
    `Command ${command}`,
    `Exit code ${finished.exit_code ?? "none"}`,
    finished.missing_program && `Not installed ${finished.missing_program}`,
    `Sandbox ${finished.sandbox ?? "not needed"}`,
    `On commit ${shortSha(finished.baseline_sha ?? finished.head_sha ?? "")}`,
    finished.output && `Output ${finished.output}`,
    log && "Open full log Download log",
  ];
}

function commitParts({ payload, pushed }: Row & { kind: "commit" }): Part[] {
  return [
    shortSha(payload.sha ?? ""),
    payload.title,
    payload.author_name && `by ${payload.author_name}`,
    ...(payload.files ? [plural(payload.files, "file"), ...countParts(payload)] : []),
    pushed && "pushed",
  ];
}

function errorParts({
  message = "",
  file_path,
  occurrence_count = 1,
  regression,
}: Payload): Part[] {
  const { title, reason, expected, actual, output } = failureOf(message);
  return [
    title,
    file_path,
    occurrence_count > 1 && `×${occurrence_count}`,
    regression && "Regression",
    reason,
    expected && `Expected ${expected}`,
    actual && `Actual ${actual}`,
    output.trim() !== "" && `Output ${output}`,
  ];
}

function sealParts({ verdict = "FLAGGED", score, seal_commit }: Payload): Part[] {
  const { label, meaning } = VERDICT[verdict];
  const commit = shortSha(seal_commit ?? "");
  return [`Sealed: ${label}`, meaning, `Score ${score} of 100 · seal commit ${commit}`];
}

const countParts = ({ insertions = 0, deletions = 0 }: Payload): Part[] => [
  insertions > 0 && `+${insertions}`,
  deletions > 0 && `−${deletions}`,
];

const withoutBackticks = (text: string) => text.replace(/`([^`\n]+)`/g, "$1");
