import {
  Alert,
  Box,
  Button,
  Group,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { type KeyboardEvent, useId, useState } from "react";
import { CardPart } from "@/components/card-part";
import { MONOSPACE_INPUT } from "@/components/field-row";
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

/** Evaluates the unsaved rules in the form. */
export function PermissionTester({ projectId, rules }: { projectId: string; rules: Rule[] }) {
  const id = useId();
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
    <CardPart role="group" aria-labelledby={id}>
      <Title order={3} id={id} mb="xs">
        Test rules
      </Title>
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Permission"
          flex="1 1 11rem"
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
          flex="3 1 12rem"
          styles={MONOSPACE_INPUT}
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
          onClick={run}
          loading={attempt.isPending}
          disabled={subject.trim() === ""}
        >
          Test
        </Button>
      </Group>
      <div role="status">
        {attempt.isError && (
          <Alert color="red" p="sm" mt="sm">
            {messageOf(attempt.error)}
          </Alert>
        )}
        {attempt.data && <VerdictView verdict={attempt.data} />}
      </div>
    </CardPart>
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
          <Stack component="ul" gap={6} mt={6} className="plain-list">
            {verdict.parts.slice(1).map((part) => (
              <Group component="li" key={part.subject} gap="xs">
                <Box component="code" ff="monospace" fz={13}>
                  {part.subject}
                </Box>
                <ToneBadge tone={actionTone(part.action)}>{actionLabel(part.action)}</ToneBadge>
              </Group>
            ))}
          </Stack>
        </>
      )}
    </Box>
  );
}
