import { Anchor, Loader } from "@mantine/core";
import { Link } from "react-router";
import { isRunning } from "@/domain/generation";
import type { ContractType, Generation } from "@/lib/api";
import { paths } from "@/lib/paths";
import classes from "./generation.module.css";
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
        <div className={classes.now}>
          <span className={classes.nowWords}>
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
          </span>
          <Anchor
            component={Link}
            inherit
            underline="always"
            to={paths.contracts(generation.project_id)}
          >
            Show progress
          </Anchor>
        </div>
      )}
    </div>
  );
}
