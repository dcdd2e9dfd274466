import { Text } from "@mantine/core";
import { estimateBasis, estimateRange } from "@/domain/build-estimate";
import type { BuildEstimate } from "@/lib/api";

interface EstimateTextProps {
  /** `null` while the build cannot start. */
  estimate: BuildEstimate | null;
  model: string | null;
  asksForLimit: boolean;
}

/** What the build will probably use, and what a limit does. */
export function EstimateText({ estimate, model, asksForLimit }: EstimateTextProps) {
  return (
    <Text fz="sm" c="dimmed">
      {asksForLimit && "The model is paid and no limit applies: set one, or choose no limit. "}
      {model && `Model: ${model}. `}
      {estimate && `Estimate: ${estimateRange(estimate)}, ${estimateBasis(estimate)}. `}A build that
      reaches a limit is blocked until you increase it.
    </Text>
  );
}
