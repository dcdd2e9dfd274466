import { Group, Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { useOtherOwner } from "@/domain/project-access";
import type { Build } from "@/lib/api";
import { questionsLabel, questionsText } from "../clarifications/questions-label";

/** Replaces the command line for viewers. */
export function ViewerFooter({ build }: { build: Build }) {
  const owner = useOtherOwner();
  const questions = build.open_clarifications;
  return (
    <Group
      gap="xs"
      wrap="nowrap"
      flex="none"
      px="md"
      py="sm"
      style={{ borderTop: "1px solid var(--line)" }}
    >
      <IconEye size={16} aria-hidden />
      <Text fz="sm" c="dimmed">
        {!owner
          ? "This project is archived and read-only."
          : questions.length > 0
            ? `${questionsLabel(questions)} for ${owner}: ${questionsText(questions)}`
            : `You are a viewer. ${owner} owns this project and controls its builds.`}
      </Text>
    </Group>
  );
}
