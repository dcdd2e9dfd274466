import { Text } from "@mantine/core";
import { IconCircleCheck, IconMessageQuestion, IconMessageReply } from "@tabler/icons-react";
import { memo } from "react";
import { InlineCode } from "@/components/inline-code";
import { actorName } from "@/lib/feed/event";
import { spokenText } from "@/lib/feed/spoken-text";
import { plural } from "@/lib/format";
import { resolutionOf } from "@/lib/resolution";
import { roleName } from "@/lib/role-names";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { CommitRow } from "./commit-row";
import { ErrorRow } from "./error-row";
import { GateRow } from "./gate-row";
import { Line } from "./line";
import { NoteRow } from "./note-row";
import { RoleAvatar } from "./role-avatar";
import type { Row } from "./row";
import { SealRow } from "./seal-row";
import { ToolRow } from "./tool-row";

const TASKS: Record<string, string> = {
  scout: "looks around",
  plan: "makes the plan",
  execute: "carries out the plan",
  audit: "reads the result against the contracts",
  fix: "mends what failed",
};

const HOW: Record<string, string> = {
  timed_out: "Nobody answered in time; the builder decides",
  skipped: "The builder was asked to decide",
  cancelled: "The question fell away with the build",
};

export const RowView = memo(function RowView({ row }: { row: Row }) {
  switch (row.kind) {
    case "phase":
      return (
        <h3 className={classes.phase}>
          <span>Phase {row.number}</span> {row.title}
        </h3>
      );
    case "phase-complete":
      return (
        <Line icon={<IconCircleCheck size={16} color={toneText("good")} aria-hidden />} at={row.at}>
          <Text span fz="sm" fw={550}>
            Phase {row.number} is signed off
          </Text>
          {row.deliverables.length > 0 && (
            <span className={classes.faint}>{plural(row.deliverables.length, "deliverable")}</span>
          )}
        </Line>
      );
    case "agent":
      return (
        <Line icon={<RoleAvatar role={row.role} />} at={row.at}>
          <Text span fz="sm" fw={600}>
            {roleName(row.role)}
          </Text>{" "}
          <Text span fz="sm" c="dimmed">
            {TASKS[row.task] ?? "begins"} · {row.model}
          </Text>
        </Line>
      );
    case "turn":
      return (
        <Line icon={<RoleAvatar role={row.role} />} at={row.at}>
          <span className="visually-hidden">{roleName(row.role)} says: </span>
          <div className={classes.speech}>
            <InlineCode text={spokenText(row.payload.text ?? "")} />
          </div>
        </Line>
      );
    case "tool":
      return <ToolRow row={row} />;
    case "gate":
      return <GateRow row={row} />;
    case "commit":
      return <CommitRow row={row} />;
    case "question":
      return (
        <Line
          icon={<IconMessageQuestion size={16} color={toneText("waiting")} aria-hidden />}
          at={row.at}
          strong
        >
          <Text span fz="sm" fw={600}>
            {row.payload.question}
          </Text>
          {row.payload.context && (
            <Text fz="sm" c="dimmed">
              {row.payload.context}
            </Text>
          )}
        </Line>
      );
    case "answer":
      return (
        <Line
          icon={<IconMessageReply size={16} color={toneText("waiting")} aria-hidden />}
          at={row.at}
        >
          <Text span fz="sm">
            {row.payload.how === "answered" ? (
              <>
                <b>{actorName(row.payload.by)}</b> answered: {row.payload.answer}
              </>
            ) : (
              HOW[row.payload.how ?? ""]
            )}
          </Text>
        </Line>
      );
    case "error":
      return <ErrorRow at={row.at} payload={row.payload} />;
    case "resolved":
      return (
        <Line icon={<IconCircleCheck size={16} color={toneText("good")} aria-hidden />} at={row.at}>
          <Text span fz="sm">
            Error gone: {resolutionOf(row.payload.method).toLowerCase()}
          </Text>
        </Line>
      );
    case "seal":
      return <SealRow at={row.at} payload={row.payload} />;
    case "note":
      return <NoteRow row={row} />;
  }
});
