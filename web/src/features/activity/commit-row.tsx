import { Code, Text } from "@mantine/core";
import { IconRobot, IconUser } from "@tabler/icons-react";
import type { Payload } from "@/lib/feed/event";
import { plural, shortSha } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";

export function CommitRow({ at, payload }: { at: string; payload: Payload }) {
  const forge = payload.author_kind !== "human";
  const Icon = forge ? IconRobot : IconUser;
  return (
    <Line
      icon={
        <Icon
          size={16}
          color={toneText("info")}
          aria-label={forge ? "Commit by ForgeGuard" : "Commit by a person"}
          role="img"
        />
      }
      at={at}
    >
      <Code className={classes.subject}>{shortSha(payload.sha ?? "")}</Code>{" "}
      <Text span fz="sm" fw={550}>
        {payload.title}
      </Text>
      <span className={classes.faint}>
        {plural(payload.files ?? 0, "file")} <ins>+{payload.insertions ?? 0}</ins>{" "}
        <del>−{payload.deletions ?? 0}</del>
      </span>
    </Line>
  );
}
