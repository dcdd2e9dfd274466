import { Box, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { InlineCode } from "@/components/inline-code";
import { ToneBadge } from "@/components/tone-badge";
import type { Schemas } from "@/lib/api";
import { isAssumption, type RequirementState, STATES } from "./requirement-labels";

interface RequirementTextProps {
  requirement: Schemas["Requirement"];
  state: RequirementState;
  /** Below the text. */
  children?: ReactNode;
}

/** A requirement with its state and scenarios. */
export function RequirementText({ requirement, state, children }: RequirementTextProps) {
  const { id, priority, text, scenarios } = requirement;
  const { label, tone } = STATES[state];
  return (
    <Stack gap={6} miw={0} style={{ overflowWrap: "anywhere" }}>
      <Group gap="xs">
        <Text component="span" fw={600} ff="monospace" fz="sm">
          {id}
        </Text>
        <ToneBadge tone={tone}>{label}</ToneBadge>
        <Text component="span" fz="xs" c="dimmed">
          {priority === "must" ? "Must" : "Should"}
          {isAssumption(requirement) && " · Assumption"}
        </Text>
      </Group>
      <Text>
        <InlineCode text={text} />
      </Text>
      {scenarios.length > 0 && (
        <Box component="ul" m={0} pl="lg">
          {scenarios.map((scenario) => (
            <Text component="li" key={scenario.id} fz="sm" c="dimmed">
              <InlineCode text={scenario.text} />
            </Text>
          ))}
        </Box>
      )}
      {children}
    </Stack>
  );
}
