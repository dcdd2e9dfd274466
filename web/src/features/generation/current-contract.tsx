import { Anchor, Group, Loader } from "@mantine/core";
import { Link } from "react-router";
import { isRunning } from "@/domain/generation";
import type { ContractType, Generation } from "@/lib/api";
import { paths } from "@/lib/paths";
import { toneFrame, toneText } from "@/lib/tone";
import { activityLabel } from "./generation-labels";

interface WritingNowProps {
  generation: Generation | null;
  type: ContractType;
}

/** Shown on a contract while its next version is being generated. */
export function CurrentContract({ generation, type }: WritingNowProps) {
  const contract = generation?.contracts.find((each) => each.type === type);
  const isComing =
    generation &&
    isRunning(generation) &&
    (contract?.status === "writing" || contract?.status === "waiting");
  return (
    <div role="status">
      {isComing && (
        <Group
          {...toneFrame("accent")}
          gap="0.25rem 0.625rem"
          px="md"
          py={10}
          mb="md"
          c={toneText("accent")}
          fz="sm"
        >
          <Group component="span" gap={10} wrap="nowrap" flex="1 1 14rem">
            {contract.status === "writing" ? (
              <>
                <Loader size={12} color="currentColor" aria-hidden />
                {/* Announcing each turn would be too much. */}
                <span>
                  Generating<span aria-hidden>: {activityLabel(contract)}</span>.
                </span>
              </>
            ) : (
              "Waiting to be generated."
            )}
          </Group>
          <Anchor
            component={Link}
            inherit
            underline="always"
            to={paths.contracts(generation.project_id)}
          >
            Show progress
          </Anchor>
        </Group>
      )}
    </div>
  );
}
