import { Text } from "@mantine/core";
import type { Clarification } from "@/lib/api";
import { useDecision } from "./api";
import { isOfAgent } from "./asked-by";

interface DecisionProps {
  build: string;
  question: Clarification;
}

/** The agent's decision after a question expired. */
export function Decision({ build, question }: DecisionProps) {
  const decision = useDecision(build, question).data;
  if (question.status !== "timed_out" || !isOfAgent(question)) return null;
  return (
    <Text fz="sm" lineClamp={4}>
      {decision?.text
        ? `Agent: “${decision.text}”`
        : decision?.whole
          ? "The agent continued without a comment; see the activity."
          : "The agent has not decided yet."}
    </Text>
  );
}
