import { Code, Text } from "@mantine/core";
import type { Build } from "@/lib/api";
import classes from "./gate-list.module.css";

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
      <ul className={classes.list}>
        {build.gates.map((gate) => (
          <li key={gate.name}>
            <Text span fz="sm">
              {gate.name}
              {!gate.required && (
                <Text span fz="xs" c="dimmed">
                  {" "}
                  optional
                </Text>
              )}
            </Text>
            <Code className={classes.command}>{gate.command}</Code>
          </li>
        ))}
      </ul>
    </>
  );
}
