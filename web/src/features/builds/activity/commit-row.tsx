import { Code, Text } from "@mantine/core";
import { IconRobot, IconUser } from "@tabler/icons-react";
import { ChangeCounts } from "@/components/change-counts";
import { plural, shortSha } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";
import type { Row } from "./row";

export function CommitRow({ row }: { row: Row & { kind: "commit" } }) {
  const { at, payload, pushed } = row;
  const forge = payload.author_kind !== "human";
  const Icon = forge ? IconRobot : IconUser;
  return (
    <Line
      icon={
        <Icon
          size={16}
          color={toneText("info")}
          aria-label={forge ? "Commit by ForgeGuard" : "Commit by a user"}
          role="img"
        />
      }
      at={at}
    >
      <Code className={classes.subject}>{shortSha(payload.sha ?? "")}</Code>{" "}
      <Text span fz="sm" fw={550}>
        {payload.title}
      </Text>
      {payload.author_name ? <span className={classes.faint}>by {payload.author_name}</span> : null}
      {payload.files ? (
        <span className={classes.faint}>
          {plural(payload.files, "file")}{" "}
          <ChangeCounts insertions={payload.insertions} deletions={payload.deletions} />
        </span>
      ) : null}
      {pushed && <span className={classes.faint}>pushed</span>}
    </Line>
  );
}
