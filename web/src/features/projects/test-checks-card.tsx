import { Group, NumberInput, Switch } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { SectionCard } from "@/components/section-card";
import type { ProjectSettings } from "@/lib/api";

const DEFAULT_SAMPLE = { max_mutants: 20, min_killed_percent: 50 };

/** How builds check their tests before they are sealed. */
export function TestChecksCard({ form }: { form: UseFormReturnType<ProjectSettings> }) {
  const given = form.values.mutation_sample;
  const sample = given === undefined ? DEFAULT_SAMPLE : given;
  const change = (part: Partial<typeof DEFAULT_SAMPLE>) =>
    form.setFieldValue("mutation_sample", { ...DEFAULT_SAMPLE, ...sample, ...part });
  return (
    <SectionCard
      title="Tests"
      description="How a build's tests are checked after its final gates. What is turned off is named in the seal."
    >
      <Switch
        label="Run new tests without the change"
        description="A test that also passes on the code from before the phase proves nothing: its exit criterion stays open."
        checked={form.values.red_check ?? true}
        onChange={(event) => form.setFieldValue("red_check", event.currentTarget.checked)}
      />
      <Switch
        mt="md"
        label="Mutate new code"
        description="Changes a sample of new lines, one at a time, and runs the test gates: a change that no test notices is a line that no test checks."
        checked={sample !== null}
        onChange={(event) =>
          form.setFieldValue("mutation_sample", event.currentTarget.checked ? DEFAULT_SAMPLE : null)
        }
      />
      {sample && (
        <Group gap="lg" mt="sm">
          <NumberInput
            label="Mutants per build"
            min={1}
            max={200}
            w={160}
            value={sample.max_mutants}
            error={form.errors["mutation_sample.max_mutants"]}
            onChange={(value) => change({ max_mutants: Number(value) })}
          />
          <NumberInput
            label="Required to be noticed (%)"
            min={0}
            max={100}
            w={220}
            value={sample.min_killed_percent}
            error={form.errors["mutation_sample.min_killed_percent"]}
            onChange={(value) => change({ min_killed_percent: Number(value) })}
          />
        </Group>
      )}
    </SectionCard>
  );
}
