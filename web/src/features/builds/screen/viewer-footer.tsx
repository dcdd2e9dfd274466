import { Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { useOtherOwner } from "@/domain/project-access";
import type { Build } from "@/lib/api";
import classes from "./build-screen.module.css";

/** Replaces the command line for viewers. */
export function ViewerFooter({ build }: { build: Build }) {
  const owner = useOtherOwner();
  return (
    <div className={classes.watcher}>
      <IconEye size={16} aria-hidden />
      <Text fz="sm" c="dimmed">
        {build.open_question
          ? `Question for ${owner}: ${build.open_question.question}`
          : `You are a viewer. ${owner} owns this project and controls its builds.`}
      </Text>
    </div>
  );
}
