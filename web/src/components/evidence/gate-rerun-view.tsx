import { Box, Flex, Group, Loader, Stack, Text } from "@mantine/core";
import { IconShieldCheck, IconShieldX } from "@tabler/icons-react";
import { Disclosure } from "@/components/disclosure";
import { OutputText } from "@/components/output-text";
import { TimeAgo } from "@/components/time-ago";
import type { GateRerun, RerunGate } from "@/lib/api";
import { toneText } from "@/lib/tone";
import { agreesWithSeal, factsLabel, gateLabel, summaryLabel } from "./gate-rerun-labels";

/** A run of the gates of a sealed build after the seal, and how its results compare with the seal. */
export function GateRerunView({ rerun }: { rerun: GateRerun }) {
  const isRunning = rerun.state === "waiting" || rerun.state === "running";
  return (
    <Stack gap={6}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        {isRunning && <Loader size={14} mt={3} aria-label="Running" />}
        <Text fz="sm">
          {summaryLabel(rerun)}{" "}
          <Text span c="dimmed" fz="xs">
            Requested by {rerun.requested_by} <TimeAgo at={rerun.requested_at} />
          </Text>
        </Text>
      </Group>
      {rerun.results.length > 0 && (
        <ul className="plain-list">
          {rerun.results.map((gate) => (
            <GateResult key={gate.gate} gate={gate} />
          ))}
        </ul>
      )}
    </Stack>
  );
}

function GateResult({ gate }: { gate: RerunGate }) {
  const Icon = gate.passed ? IconShieldCheck : IconShieldX;
  const tone = agreesWithSeal(gate) ? "neutral" : "bad";
  return (
    <Flex component="li" gap="xs" py={4} fz="sm">
      <Box mt={4} lh={0} flex="none">
        <Icon size={16} color={toneText(gate.passed ? "good" : tone)} aria-hidden />
      </Box>
      <div style={{ minWidth: 0, flex: 1 }}>
        <Disclosure
          summary={
            <Text span fz="sm">
              Gate <b>{gate.gate}</b> {gateLabel(gate)}
            </Text>
          }
        >
          <Text fz="xs" c="dimmed" my={4}>
            <code>{gate.command}</code> · {factsLabel(gate)}
          </Text>
          {gate.failed_tests.length > 0 && (
            <Text fz="xs" my={4}>
              Failed tests: {gate.failed_tests.join(", ")}
            </Text>
          )}
          {gate.output === "" ? (
            <Text fz="xs">The command printed nothing.</Text>
          ) : (
            <OutputText text={gate.output} />
          )}
        </Disclosure>
      </div>
    </Flex>
  );
}
