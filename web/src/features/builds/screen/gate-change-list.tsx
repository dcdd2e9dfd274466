import { List, Text } from "@mantine/core";
import { InlineCode } from "@/components/inline-code";
import { type GateChange, gateChangeText, isRelaxed } from "@/domain/gate-changes";

/** The gates that differ when the build is resumed, and what follows from that. */
export function GateChangeList({ changes }: { changes: readonly GateChange[] }) {
  if (changes.length === 0) return null;
  return (
    <>
      <Text fz="sm">
        The project's gates were changed since the build began. It continues with them:
      </Text>
      <List fz="sm" my="xs">
        {changes.map((change) => (
          <List.Item key={change.gate}>
            <InlineCode text={gateChangeText(change)} />
          </List.Item>
        ))}
      </List>
      {changes.some(isRelaxed) && (
        <Text fz="sm" mb="md">
          The build cannot be certified without a gate that was required when it began. Restore it
          in the project settings to avoid that.
        </Text>
      )}
    </>
  );
}
