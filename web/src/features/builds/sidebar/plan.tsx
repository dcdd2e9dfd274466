import { Box, Group, Stack, Text } from "@mantine/core";
import {
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleMinus,
  IconProgress,
} from "@tabler/icons-react";
import { InlineCode } from "@/components/inline-code";
import { currentPhase } from "@/domain/build-phases";
import { actorName } from "@/domain/feed/event";
import type { Build, BuildPhase } from "@/lib/api";
import { toneText } from "@/lib/tone";
import { PhaseMenu } from "./phase-menu";

const PHASE = {
  complete: { icon: IconCircleCheckFilled, color: toneText("good"), label: "Done" },
  running: { icon: IconProgress, color: toneText("accent"), label: "In progress" },
  skipped: { icon: IconCircleMinus, color: "var(--mantine-color-dimmed)", label: "Skipped" },
  pending: { icon: IconCircleDashed, color: "var(--mantine-color-dimmed)", label: "Not started" },
};

const isAhead = ({ status }: BuildPhase) => status === "pending" || status === "skipped";

/** The phases with their plans. */
export function Plan({ build }: { build: Build }) {
  const current = currentPhase(build);
  return (
    <Stack component="ol" gap={10} className="plain-list">
      {build.phases.map((phase) => {
        const { icon: Icon, color, label } = PHASE[phase.status];
        return (
          <li key={phase.number}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Icon size={16} color={color} aria-label={label} role="img" />
              <Text
                span
                fz="sm"
                fw={isAhead(phase) ? 450 : 600}
                c={isAhead(phase) ? "dimmed" : undefined}
              >
                {phase.number}. {phase.title}
                {phase.skipped && (
                  <Text span fz="xs" c="dimmed" display="block">
                    Skipped by {actorName(phase.skipped.by)}: {phase.skipped.reason}
                  </Text>
                )}
              </Text>
              {phase.number === current?.number && <PhaseMenu build={build} phase={phase} />}
            </Group>
            {phase.plan.length > 0 && (
              <Box component="ul" mt={4} pl="lg" className="plain-list">
                {phase.plan.map((step, index) => (
                  <Group
                    component="li"
                    // biome-ignore lint/suspicious/noArrayIndexKey: steps of a plan have no other identity
                    key={index}
                    gap="xs"
                    wrap="nowrap"
                    align="flex-start"
                    py={3}
                    fz="sm"
                    c={step.done ? "dimmed" : undefined}
                  >
                    {step.done ? (
                      <IconCircleCheckFilled
                        size={14}
                        color={toneText("good")}
                        aria-label="Done"
                        role="img"
                      />
                    ) : step.dropped ? (
                      <IconCircleMinus size={14} aria-label="Dropped" role="img" />
                    ) : (
                      <IconCircle size={14} aria-label="To do" role="img" />
                    )}
                    <span>
                      <InlineCode text={step.text} />
                      {step.dropped && (
                        <Text span fz="xs" c="dimmed" display="block">
                          {step.dropped}
                        </Text>
                      )}
                    </span>
                  </Group>
                ))}
              </Box>
            )}
          </li>
        );
      })}
    </Stack>
  );
}
