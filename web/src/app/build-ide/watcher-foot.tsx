import { Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import type { Build } from "@/lib/api";
import { useOtherOwner } from "@/lib/project-role";
import classes from "./build-ide.module.css";

/** In place of the command line, for who may only look. */
export function WatcherFoot({ build }: { build: Build }) {
  const owner = useOtherOwner();
  return (
    <div className={classes.watcher}>
      <IconEye size={16} aria-hidden />
      <Text fz="sm" c="dimmed">
        {build.open_question
          ? `The builder asks ${owner}: ${build.open_question.question}`
          : `You are watching. ${owner} owns this project and steers its builds.`}
      </Text>
    </div>
  );
}
