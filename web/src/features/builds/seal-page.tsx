import { Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { ClauseList } from "@/components/evidence/clause-list";
import { ProofWords } from "@/components/evidence/clause-row";
import { openProofs, promiseOf, toldOf } from "@/components/evidence/seal-words";
import { StandingIcon } from "@/components/evidence/standing-icon";
import type { Build } from "@/lib/api";
import { formatDate, shortSha } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./seal-page.module.css";
import { TakeAlong } from "./take-along";
import { Verify } from "./verify";

/** The end of a build, for people: what was promised, what was shown, what is open, and how to check it. */
export default function SealPage({ build }: { build: Build }) {
  const { seal } = build;
  if (!seal) return null;
  const { head_sha, clauses } = seal.evidence;
  const open = openProofs(clauses);
  return (
    <section className={classes.page} aria-label="Seal">
      <header className={classes.head}>
        <Title order={3} className={classes.told}>
          {toldOf(clauses)}
        </Title>
        <Text fz="sm" c="dimmed">
          Sealed {formatDate(seal.sealed_at)} by fixed rules from the evidence below, as it was on
          commit <code>{shortSha(head_sha)}</code>. Nobody can choose the verdict. Score{" "}
          {seal.score} of 100.
        </Text>
      </header>
      <div className={classes.columns}>
        <div className={classes.column}>
          <section aria-labelledby="seal-open">
            <Title order={3} id="seal-open">
              What is open
            </Title>
            {open.length === 0 ? (
              <p className={classes.nothing}>
                <IconCircleCheck size={16} color={toneText("good")} aria-hidden />
                Nothing. There is no open error, finding or question.
              </p>
            ) : (
              <ul className={classes.open}>
                {open.map(({ clause, proof }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: proofs are never reordered
                  <li key={index}>
                    <StandingIcon standing={proof.standing} size={16} />
                    <span>
                      <span className={classes.shown}>Promised: {promiseOf(clause)}</span>
                      <ProofWords proof={proof} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </section>
          <section aria-labelledby="seal-promises">
            <Title order={3} id="seal-promises">
              What was promised, and what was shown
            </Title>
            <div className={classes.promises}>
              <ClauseList clauses={clauses} />
            </div>
          </section>
        </div>
        <div className={classes.column}>
          <TakeAlong build={build} />
          <Verify buildId={build.id} />
        </div>
      </div>
    </section>
  );
}
