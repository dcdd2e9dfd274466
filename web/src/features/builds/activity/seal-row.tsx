import { Box, Flex, Text } from "@mantine/core";
import { IconAlertTriangle, IconFlag3, IconRosetteDiscountCheck } from "@tabler/icons-react";
import type { Payload } from "@/domain/feed/event";
import { VERDICT } from "@/domain/verdict";
import { shortSha } from "@/lib/format";
import { toneFrame, toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { RowTime } from "./row-time";

const ICONS = {
  CERTIFIED: IconRosetteDiscountCheck,
  CONDITIONAL: IconAlertTriangle,
  FLAGGED: IconFlag3,
};

export function SealRow({ at, payload }: { at: string; payload: Payload }) {
  const verdict = payload.verdict ?? "FLAGGED";
  const { label, meaning, tone } = VERDICT[verdict];
  const Icon = ICONS[verdict];
  // Padding instead of margins: the list measures rows without their margins.
  return (
    <Box px="md" py="sm">
      <Flex {...toneFrame(tone)} gap="sm" px="md" py={14}>
        <Icon size={28} stroke={1.75} color={toneText(tone)} aria-hidden />
        <div className={classes.content}>
          <Text fz="md" fw={650} c={toneText(tone)}>
            Sealed: {label.toLowerCase()}
          </Text>
          <Text fz="sm" mt={2}>
            {meaning}
          </Text>
          <Text fz="xs" c="dimmed" mt={4}>
            Score {payload.score} of 100 · seal commit{" "}
            <code>{shortSha(payload.seal_commit ?? "")}</code>
          </Text>
        </div>
        <RowTime at={at} />
      </Flex>
    </Box>
  );
}
