import { Alert, Badge, Code, Group, List, Stack, Text } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import type { Schemas } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { plural } from "@/lib/format";

type SpecReport = Schemas["SpecReport"];
type Problem = Schemas["SpecProblem"];

interface SpecResultProps {
  report: SpecReport | undefined;
  /** Why the spec could not be validated. */
  error: unknown;
}

/** What was read in a spec, and its problems. */
export function SpecResult({ report, error }: SpecResultProps) {
  return (
    <Stack gap="sm" aria-live="polite">
      {error != null && (
        <Alert color="red" title="The spec could not be validated">
          {messageOf(error)}
        </Alert>
      )}
      {report && <Report report={report} />}
    </Stack>
  );
}

function Report({ report }: { report: SpecReport }) {
  const missing = report.missing.filter(({ expected }) => expected);
  const warnings = report.warnings.length + missing.length;
  return (
    <>
      {report.errors.length > 0 && (
        <Alert color="red" title="This spec cannot be built yet">
          <Problems problems={report.errors} />
        </Alert>
      )}
      <Group gap="xs">
        <Badge variant="light">{plural(report.requirements.length, "requirement")}</Badge>
        <Badge variant="light">{plural(report.criteria.length, "criterion", "criteria")}</Badge>
        <Badge variant="light">{plural(Math.max(1, report.phases.length), "phase")}</Badge>
        <Badge variant="light">{plural(report.files.length, "file")}</Badge>
      </Group>
      {report.test_command && (
        <Text fz="sm">
          Required gate: <Code>{report.test_command}</Code>
        </Text>
      )}
      {report.criteria.length > 0 && (
        <Disclosure summary="How each criterion is proven">
          <List fz="sm" spacing={4}>
            {report.criteria.map((criterion) => (
              <List.Item key={criterion.line}>
                <span dir="auto">{criterion.text}</span> — <Proof proof={criterion.proof} />
              </List.Item>
            ))}
          </List>
        </Disclosure>
      )}
      {warnings > 0 && (
        <Disclosure summary={plural(warnings, "warning")}>
          <Problems problems={report.warnings} />
          <List fz="sm" spacing={4}>
            {missing.map(({ section, heading, purpose }) => (
              <List.Item key={section}>
                No “{heading}”. {purpose}
              </List.Item>
            ))}
          </List>
        </Disclosure>
      )}
    </>
  );
}

function Proof({ proof }: { proof: SpecReport["criteria"][number]["proof"] }) {
  switch (proof.type) {
    case "test":
      return (
        <>
          test <Code>{proof.names.join(", ")}</Code>
        </>
      );
    case "command":
      return (
        <>
          command <Code>{proof.command}</Code>
        </>
      );
    case "person":
      return "confirmed by a person";
    case "review":
      return "reviewed by the auditor";
  }
}

function Problems({ problems }: { problems: Problem[] }) {
  return (
    <List fz="sm" spacing={4}>
      {problems.map(({ line, quoted, text }) => (
        <List.Item key={`${line} ${text}`}>
          {line !== null && (
            <>
              Line {line}
              {quoted && (
                <>
                  , <Code style={{ overflowWrap: "anywhere" }}>{quoted}</Code>
                </>
              )}
              :{" "}
            </>
          )}
          {text}
        </List.Item>
      ))}
    </List>
  );
}
