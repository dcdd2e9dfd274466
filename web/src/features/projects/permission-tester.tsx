import { Alert, Box, Button, NativeSelect, Text, TextInput } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { InlineCode } from "@/components/inline-code";
import { ToneBadge } from "@/components/tone-badge";
import type { Schemas } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { useTryPermission } from "./api";
import {
  actionLabel,
  actionTone,
  CHOICES,
  complete,
  type Permission,
  patternExample,
  permissionLabel,
  type Rule,
  verdictLabel,
  verdictReason,
} from "./permission-labels";
import classes from "./permissions.module.css";

/** Evaluates the unsaved rules in the form. */
export function PermissionTester({ projectId, rules }: { projectId: string; rules: Rule[] }) {
  const attempt = useTryPermission(projectId);
  const [permission, setPermission] = useState<Permission>("bash");
  const [subject, setSubject] = useState("");
  const run = () =>
    subject.trim() !== "" && attempt.mutate({ permission, subject, rules: complete(rules) });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // Enter would submit the settings form.
    event.preventDefault();
    run();
  };
  return (
    <fieldset className={classes.tester}>
      <legend className={classes.legend}>Test rules</legend>
      <div className={classes.row}>
        <NativeSelect
          label="Permission"
          className={classes.permission}
          data={CHOICES.map((value) => ({ value, label: permissionLabel(value).toLowerCase() }))}
          value={permission}
          onChange={(event) => {
            const chosen = CHOICES.find((value) => value === event.currentTarget.value);
            if (chosen) setPermission(chosen);
            attempt.reset();
          }}
        />
        <TextInput
          label={permission === "bash" ? "Command" : permission === "mcp" ? "Tool" : "Path"}
          placeholder={permission === "bash" ? "rm -rf build" : patternExample(permission)}
          className={classes.pattern}
          classNames={{ input: classes.mono }}
          spellCheck={false}
          autoCapitalize="off"
          maxLength={8192}
          value={subject}
          onChange={(event) => {
            setSubject(event.currentTarget.value);
            attempt.reset();
          }}
          onKeyDown={onKeyDown}
        />
        <Button
          variant="default"
          className={classes.try}
          onClick={run}
          loading={attempt.isPending}
          disabled={subject.trim() === ""}
        >
          Test
        </Button>
      </div>
      <div role="status">
        {attempt.isError && (
          <Alert color="red" p="sm" mt="sm">
            {messageOf(attempt.error)}
          </Alert>
        )}
        {attempt.data && <VerdictView verdict={attempt.data} />}
      </div>
    </fieldset>
  );
}

function VerdictView({ verdict }: { verdict: Schemas["PermissionVerdict"] }) {
  return (
    <Box mt="sm">
      <ToneBadge tone={actionTone(verdict.action)}>{verdictLabel(verdict.action)}</ToneBadge>
      <Text fz="sm" mt={6}>
        <InlineCode text={verdictReason(verdict)} />
      </Text>
      {verdict.parts.length > 2 && (
        <>
          <Text fz="xs" c="dimmed" mt="xs">
            All commands in the line are evaluated; the strictest result applies.
          </Text>
          <ul className={classes.parts}>
            {verdict.parts.slice(1).map((part) => (
              <li key={part.subject}>
                <Box component="code" ff="monospace" fz={13}>
                  {part.subject}
                </Box>
                <ToneBadge tone={actionTone(part.action)}>{actionLabel(part.action)}</ToneBadge>
              </li>
            ))}
          </ul>
        </>
      )}
    </Box>
  );
}
