import { Code, Stack, Text } from "@mantine/core";
import type { Build, Schemas } from "@/lib/api";

/** The project's gates; ForgeGuard's built-in gates always run. */
export function GateList({ build }: { build: Build }) {
  if (build.gates.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        Built-in checks only.
      </Text>
    );
  }
  return (
    <>
      {build.gates_detected && (
        <Text fz="xs" c="dimmed" mb="xs">
          Detected in the repository, because the project has no gates.
        </Text>
      )}
      <Stack component="ul" gap="xs" className="plain-list">
        {build.gates.map((gate) => (
          <Stack component="li" key={gate.name} gap={4} align="flex-start">
            <Text span fz="sm">
              {gate.name}
              {!gate.required && (
                <Text span fz="xs" c="dimmed">
                  {" "}
                  optional
                </Text>
              )}
            </Text>
            <BaselineResult result={build.baseline_gates[gate.name]} />
            <Code className="pre-wrap" maw="100%">
              {gate.command}
            </Code>
          </Stack>
        ))}
      </Stack>
    </>
  );
}

/** What is known about a gate from before the build. */
function BaselineResult({ result }: { result: Schemas["BaselineResult"] | undefined }) {
  if (!result || result.passed) return null;
  return (
    <Text fz="xs" c="dimmed">
      {result.missing_program ? (
        <>
          Cannot run: <code>{result.missing_program}</code> is not installed
        </>
      ) : (
        "Failed before the build"
      )}
    </Text>
  );
}
