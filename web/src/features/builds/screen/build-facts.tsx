import { Anchor, Code, Group, Text, Tooltip } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "react-router";
import { Segments } from "@/components/segments";
import { WorkingTime } from "@/components/working-time";
import { estimateBasis, estimateRange } from "@/domain/build-estimate";
import { isWorking } from "@/domain/build-status";
import { executorName } from "@/domain/executor-names";
import type { Build } from "@/lib/api";
import { formatCompact, formatCount, formatDate, formatUsd, plural, shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./build-header.module.css";
import { Fact } from "./fact";

const STATE = {
  complete: "done",
  running: "current",
  pending: "ahead",
  skipped: "ahead",
} as const;

const SANDBOX: Record<string, string> = {
  strict: "Commands run in separate namespaces",
  landlock: "Commands are confined by Landlock and seccomp",
  none: "Commands are not confined, as configured by the operator",
};

interface BuildFactsProps {
  build: Build;
  /** When `build` was fetched, in milliseconds. */
  fetchedAt: number;
  /** One fact per line, for narrow screens. */
  stacked?: boolean;
}

export function BuildFacts({ build, fetchedAt, stacked }: BuildFactsProps) {
  const { spent, budgets } = build;
  const ownModels = Object.entries(build.models ?? {}).flatMap(([role, model]) =>
    model ? [`${role} ${model}`] : [],
  );
  const tokens = spent.tokens_in + spent.tokens_out;
  const parts = build.phases.map(({ number, status }) => ({ key: number, state: STATE[status] }));
  return (
    <dl className={classes.facts} data-stacked={stacked || undefined}>
      <Fact label="Phases">
        <Group component="span" gap="xs" miw={120}>
          {/* One string: a group leaves out a 0 among its children. */}
          {`${build.phases_done} of ${build.phase_count}`}
          <Segments
            label={`${build.phases_done} of ${plural(build.phase_count, "phase")} done`}
            parts={parts}
          />
        </Group>
      </Fact>
      <Fact label="Working time">
        <WorkingTime
          ms={build.working_ms}
          fetchedAt={fetchedAt}
          running={isWorking(build.status)}
        />
        {budgets.minutes != null && (
          <Text span inherit c="dimmed" fw={400}>
            {" "}
            of {budgets.minutes} m
          </Text>
        )}
      </Fact>
      <Fact label="Tokens">
        <Tooltip label={`${formatCount(spent.tokens_in)} in, ${formatCount(spent.tokens_out)} out`}>
          <span>{formatCompact(tokens)}</span>
        </Tooltip>
        {budgets.tokens != null && (
          <Text span inherit c="dimmed" fw={400}>
            {" "}
            of {formatCompact(budgets.tokens)}
          </Text>
        )}
      </Fact>
      <Fact label="Cost" minor>
        {formatUsd(spent.usd_micros)}
        {budgets.usd_micros != null && (
          <Text span inherit c="dimmed" fw={400}>
            {" "}
            of {formatUsd(budgets.usd_micros)}
          </Text>
        )}
      </Fact>
      {build.estimate && (
        <Fact label="Estimate" minor>
          <Tooltip label={`Before the start, ${estimateBasis(build.estimate)}`}>
            <span>{estimateRange(build.estimate)}</span>
          </Tooltip>
        </Fact>
      )}
      <Fact label="Model" minor>
        {ownModels.length === 0 ? (
          build.model
        ) : (
          <Tooltip label={`For this build only: ${ownModels.join(", ")}`}>
            <span>{build.model} (chosen for this build)</span>
          </Tooltip>
        )}
      </Fact>
      <Fact label="Coding agent" minor>
        {executorName(build.executor)}
        {build.phase_executors.map(({ phase, executor }) => (
          <Fragment key={phase}>
            <br />
            Phase {phase}: {executorName(executor)}
          </Fragment>
        ))}
      </Fact>
      <Fact label="Sandbox" minor>
        {build.sandbox_level ? (
          <Tooltip label={SANDBOX[build.sandbox_level] ?? build.sandbox_level}>
            <span>{build.sandbox_level}</span>
          </Tooltip>
        ) : (
          "not used yet"
        )}
      </Fact>
      <Fact label="Baseline" minor>
        {build.baseline_sha ? <Code>{shortSha(build.baseline_sha)}</Code> : "not set yet"}
        {build.baseline_branch && ` of ${build.baseline_branch}`}
      </Fact>
      {build.pinned_at && (
        <Fact label="Contracts" minor>
          as of {formatDate(build.pinned_at)}
        </Fact>
      )}
      {build.follows && (
        <Fact label="Follows">
          <Anchor
            component={Link}
            to={paths.build(build.project_id, build.follows_number ?? build.follows)}
            fz="inherit"
          >
            {build.follows_number ? `#${build.follows_number}` : "previous build"}
          </Anchor>
          {build.follows_number && (
            <>
              {" · "}
              <Anchor
                component={Link}
                to={paths.compare(build.project_id, build.follows_number, build.number)}
                fz="inherit"
              >
                compare with #{build.follows_number}
              </Anchor>
            </>
          )}
        </Fact>
      )}
      <Fact label="Commits" minor>
        {build.commit_count}
      </Fact>
    </dl>
  );
}
