import { Anchor, Loader } from "@mantine/core";
import { Link } from "react-router";
import type { ContractType, Generation } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";
import { paths } from "@/lib/paths";
import classes from "./generation.module.css";
import { doingWords } from "./generation-words";

interface WritingNowProps {
  generation: Generation | null;
  type: ContractType;
}

/** Above one contract: that its next version is on its way. */
export function WritingNow({ generation, type }: WritingNowProps) {
  const contract = generation?.contracts.find((each) => each.type === type);
  const isComing =
    generation &&
    isUnderWay(generation) &&
    (contract?.status === "writing" || contract?.status === "waiting");
  return (
    <div role="status">
      {isComing && (
        <div className={classes.now}>
          <span className={classes.nowWords}>
            {contract.status === "writing" ? (
              <>
                <Loader size={12} color="currentColor" aria-hidden />
                {/* Each turn said aloud would be too much. */}
                <span>
                  Being written now<span aria-hidden>: {doingWords(contract)}</span>.
                </span>
              </>
            ) : (
              "Will be written in a moment."
            )}
          </span>
          <Anchor
            component={Link}
            inherit
            underline="always"
            to={paths.contracts(generation.project_id)}
          >
            See how far it is
          </Anchor>
        </div>
      )}
    </div>
  );
}
