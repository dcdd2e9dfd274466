import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { InlineCode } from "@/components/inline-code";
import type { Schemas } from "@/lib/api";
import { shortSha } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./seal-summary.module.css";

type Clause = Schemas["Clause"];

const CLAUSE: Record<string, string> = {
  phases: "Every phase is signed off",
  gates: "Every gate is green on the sealed commit",
  criteria: "Every pass criterion is verified",
  errors: "No open error",
  findings: "No open finding of the auditor",
  questions: "Every question was answered",
};

const STANDING = {
  holds: { icon: IconCircleCheck, color: toneText("good"), label: "Holds" },
  open: { icon: IconAlertTriangle, color: toneText("waiting"), label: "Open" },
  broken: { icon: IconCircleX, color: toneText("bad"), label: "Does not hold" },
};

export function EvidenceList({ clauses }: { clauses: Clause[] }) {
  return (
    <ul className={classes.clauses}>
      {clauses.map((clause) => {
        const { icon: Icon, color, label } = STANDING[clause.standing];
        return (
          <li key={clause.clause}>
            <Icon size={16} color={color} aria-label={label} role="img" />
            <div>
              <Text fz="sm" fw={550}>
                {CLAUSE[clause.clause] ?? clause.clause}
              </Text>
              {clause.proofs.map((proof, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
                <Text key={index} fz="xs" c="dimmed" mt={3}>
                  <InlineCode text={proof.what} />
                  {proof.command && (
                    <>
                      {" "}
                      · <code>{proof.command}</code>
                    </>
                  )}
                  {proof.exit_code != null && ` · exit ${proof.exit_code}`}
                  {proof.commit && ` · on ${shortSha(proof.commit)}`}
                  {proof.output_sha256 && ` · output ${shortSha(proof.output_sha256)}`}
                </Text>
              ))}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
