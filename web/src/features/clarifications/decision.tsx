import { Text } from "@mantine/core";
import type { Clarification } from "@/lib/api";
import { useDecision } from "./api";

interface DecisionProps {
  build: string;
  question: Clarification;
}

/** What the builder said once nobody had answered. */
export function Decision({ build, question }: DecisionProps) {
  const decision = useDecision(build, question).data;
  if (question.status !== "timed_out") return null;
  return (
    <Text fz="sm" lineClamp={4}>
      {decision?.text
        ? `The builder: “${decision.text}”`
        : decision?.whole
          ? "The builder went on without saying why; the activity shows what it did."
          : "The builder has not said yet what it does."}
    </Text>
  );
}
