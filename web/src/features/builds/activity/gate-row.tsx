import { Anchor, Group, Loader, Text } from "@mantine/core";
import { IconShieldCheck, IconShieldX } from "@tabler/icons-react";
import { ToneBadge } from "@/components/tone-badge";
import { formatSpan, shortSha } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";
import { OutputBlock } from "./output-block";
import type { Row } from "./row";
import { RowDisclosure } from "./row-disclosure";
import { gateResult } from "./row-labels";

export function GateRow({ row }: { row: Row & { kind: "gate" } }) {
  const { started, finished } = row;
  const command = finished?.command || started.command;
  return (
    <Line
      icon={<GateIcon passed={finished ? finished.passed === true : undefined} />}
      at={row.at}
      strong={finished !== null && !finished.passed}
    >
      <RowDisclosure
        rowKey={row.key}
        summary={
          <>
            <Text span fz="sm">
              Gate <b>{started.gate}</b> {gateResult(finished)}
            </Text>
            {finished?.duration_ms !== undefined && (
              <span className={classes.faint}>{formatSpan(finished.duration_ms)}</span>
            )}
            {finished && finished.required === false && (
              <ToneBadge tone="neutral">Optional</ToneBadge>
            )}
          </>
        }
      >
        <dl className={classes.facts}>
          <dt>Command</dt>
          <dd>{command ? <code>{command}</code> : "built in"}</dd>
          {finished && (
            <>
              <dt>Exit code</dt>
              <dd>{finished.exit_code ?? "none"}</dd>
              {finished.missing_program && (
                <>
                  <dt>Not installed</dt>
                  <dd>
                    <code>{finished.missing_program}</code>
                  </dd>
                </>
              )}
              <dt>Sandbox</dt>
              <dd>{finished.sandbox ?? "not needed"}</dd>
              <dt>On commit</dt>
              <dd>
                <code>{shortSha(finished.baseline_sha ?? finished.head_sha ?? "")}</code>
              </dd>
            </>
          )}
        </dl>
        {finished && <OutputBlock label="Output" text={finished.output ?? ""} />}
        {row.log && (
          <Group gap="md" fz="sm">
            <Anchor href={row.log} target="_blank" rel="noreferrer">
              Open full log
            </Anchor>
            <Anchor href={row.log} download={`gate-${started.gate}.txt`}>
              Download log
            </Anchor>
          </Group>
        )}
      </RowDisclosure>
    </Line>
  );
}

function GateIcon({ passed }: { passed: boolean | undefined }) {
  if (passed === undefined) return <Loader size={14} aria-label="Running" />;
  return passed ? (
    <IconShieldCheck size={16} color={toneText("good")} aria-hidden />
  ) : (
    <IconShieldX size={16} color={toneText("bad")} aria-hidden />
  );
}
