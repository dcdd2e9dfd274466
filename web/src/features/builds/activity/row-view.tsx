import { Anchor, Text, VisuallyHidden } from "@mantine/core";
import { IconCircleCheck, IconMessageQuestion, IconMessageReply } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "react-router";
import { InlineCode } from "@/components/inline-code";
import { resolutionOf } from "@/domain/error-resolution";
import { agentText } from "@/domain/feed/agent-text";
import { actorName } from "@/domain/feed/event";
import { roleName } from "@/domain/role-names";
import { plural } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { CommitRow } from "./commit-row";
import { ErrorRow } from "./error-row";
import { GateRow } from "./gate-row";
import { Line } from "./line";
import { NoteRow } from "./note-row";
import { RoleAvatar } from "./role-avatar";
import type { Row } from "./row";
import { taskLabel, unansweredLabel } from "./row-labels";
import { SealRow } from "./seal-row";
import { ToolRow } from "./tool-row";

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
            {taskLabel(row.task)} · {row.model}
          </Text>{" "}
          <Anchor
            component={Link}
            className={classes.faint}
            to={{ search: `?tab=transcripts&run=${row.run}` }}
          >
            Open transcript
          </Anchor>
        </Line>
      );
    case "turn":
      return (
        <Line icon={<RoleAvatar role={row.role} />} at={row.at}>
          <VisuallyHidden component="span">{roleName(row.role)} says: </VisuallyHidden>
          <div className={classes.speech}>
            <InlineCode text={agentText(row.payload.text ?? "")} />
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
              unansweredLabel(row.payload.how)
            )}
          </Text>
        </Line>
      );
    case "error":
      return <ErrorRow row={row} />;
    case "resolved":
      return (
        <Line icon={<IconCircleCheck size={16} color={toneText("good")} aria-hidden />} at={row.at}>
          <Text span fz="sm">
            Error resolved: {resolutionOf(row.payload.method).toLowerCase()}
          </Text>
        </Line>
      );
    case "seal":
      return <SealRow at={row.at} payload={row.payload} />;
    case "note":
      return <NoteRow row={row} />;
  }
});
