import { Button, Code, Group, Stack, Switch, Text, Title, VisuallyHidden } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconCheck, IconPlus } from "@tabler/icons-react";
import { useId } from "react";
import { CardPart } from "@/components/card-part";
import { QueryView } from "@/components/query-view";
import { ToneBadge } from "@/components/tone-badge";
import type { Gate, ProjectSettings, Schemas } from "@/lib/api";
import { plural, shortSha } from "@/lib/format";
import { useDetectedGates } from "./api";

interface DetectedGatesProps {
  projectId: string;
  form: UseFormReturnType<ProjectSettings>;
}

/** Gates suggested by the repository. Adding one does not save it. */
export function DetectedGates({ projectId, form }: DetectedGatesProps) {
  const id = useId();
  const query = useDetectedGates(projectId);
  return (
    <CardPart>
      <section aria-labelledby={id}>
        <Title order={3} id={id}>
          Detected in the repository
        </Title>
        <QueryView query={query} what="detected gates">
          {(found) => <Proposals found={found} form={form} />}
        </QueryView>
      </section>
    </CardPart>
  );
}

function Proposals({
  found,
  form,
}: {
  found: Schemas["DetectedGates"];
  form: DetectedGatesProps["form"];
}) {
  const own = form.values.gates ?? [];
  const isOwn = ({ command }: Gate) => own.some((gate) => gate.command === command);
  const add = ({ reason: _, ...gate }: Schemas["ProposedGate"]) =>
    form.insertListItem("gates", gate satisfies Gate);
  if (found.items.length === 0) {
    return (
      <Text fz="sm" c="dimmed" mt={4}>
        No known test, lint or type check found on {found.branch}.
      </Text>
    );
  }
  return (
    <>
      <Text fz="sm" c="dimmed" mt={4}>
        From {found.branch}
        {found.sha && <> at {shortSha(found.sha)}</>}. You can edit added gates before saving.
      </Text>
      <Stack component="ul" gap="sm" mt="sm" mb="md" className="plain-list">
        {found.items.map((gate) => (
          <Group
            component="li"
            key={gate.name}
            justify="space-between"
            align="flex-start"
            wrap="nowrap"
            gap="sm"
          >
            <Stack gap={4} align="flex-start" miw={0}>
              <Group gap={8} fz="sm" fw={550}>
                {gate.name}
                {!gate.required && <ToneBadge tone="neutral">Optional</ToneBadge>}
                {gate.network && <ToneBadge tone="neutral">Network</ToneBadge>}
              </Group>
              <Code className="pre-wrap" maw="100%">
                {gate.command}
              </Code>
              <Text fz="xs" c="dimmed">
                {gate.reason}
              </Text>
            </Stack>
            <Button
              flex="none"
              size="xs"
              variant="default"
              disabled={isOwn(gate)}
              leftSection={
                isOwn(gate) ? (
                  <IconCheck size={14} aria-hidden />
                ) : (
                  <IconPlus size={14} aria-hidden />
                )
              }
              onClick={() => add(gate)}
            >
              {isOwn(gate) ? "Added" : "Add"}
              <VisuallyHidden component="span"> {gate.name}</VisuallyHidden>
            </Button>
          </Group>
        ))}
      </Stack>
      <Switch
        label="Use these if the project has no gates"
        description={nextBuildLabel(
          own.length,
          form.values.detect_gates ?? true,
          found.items.length,
        )}
        {...form.getInputProps("detect_gates", { type: "checkbox" })}
      />
    </>
  );
}

function nextBuildLabel(own: number, detect: boolean, found: number): string {
  if (own > 0) return `The next build uses your own ${own === 1 ? "gate" : plural(own, "gate")}.`;
  return detect
    ? `The next build uses the ${found === 1 ? "detected gate" : plural(found, "detected gate")}.`
    : "The next build uses only the built-in checks.";
}
