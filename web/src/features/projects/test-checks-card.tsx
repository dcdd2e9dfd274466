import { Switch } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { SectionCard } from "@/components/section-card";
import type { ProjectSettings } from "@/lib/api";

/** How builds check their tests before they are sealed. */
export function TestChecksCard({ form }: { form: UseFormReturnType<ProjectSettings> }) {
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
    </SectionCard>
  );
}
