import { Radio, Stack, Switch, TagsInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { SectionCard } from "@/components/section-card";
import type { DeliverySettings, ProjectSettings } from "@/lib/api";

const DEFAULTS: DeliverySettings = {
  when: "on_request",
  draft_unless_certified: true,
  labels: [],
  reviewers: [],
};

const WHEN = [
  { value: "at_seal", label: "As soon as a build is sealed" },
  { value: "on_request", label: "When I click “Open pull request”" },
  { value: "never", label: "Never" },
];

/** How sealed builds reach the project's remote repository. */
export function DeliveryCard({ form }: { form: UseFormReturnType<ProjectSettings> }) {
  const settings = { ...DEFAULTS, ...form.values.delivery };
  const change = (part: Partial<DeliverySettings>) =>
    form.setFieldValue("delivery", { ...settings, ...part });
  return (
    <SectionCard
      title="Pull requests"
      description="If the project has a remote repository, the branch of a sealed build is pushed there and a pull request is opened. ForgeGuard merges nothing."
    >
      <Radio.Group
        label="Open pull requests"
        value={settings.when}
        onChange={(when) => change({ when: when as DeliverySettings["when"] })}
      >
        <Stack gap="xs" mt="xs">
          {WHEN.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      {settings.when !== "never" && (
        <Stack gap="md" mt="md">
          <Switch
            label="As a draft unless the build is certified"
            checked={settings.draft_unless_certified}
            onChange={(event) => change({ draft_unless_certified: event.currentTarget.checked })}
          />
          <TagsInput
            label="Labels"
            description="Names of labels at the server. Press Enter after each."
            maxTags={10}
            value={settings.labels}
            error={form.errors["delivery.labels"]}
            onChange={(labels) => change({ labels })}
          />
          <TagsInput
            label="Reviewers"
            description="User names at the server. Press Enter after each."
            maxTags={10}
            value={settings.reviewers}
            error={form.errors["delivery.reviewers"]}
            onChange={(reviewers) => change({ reviewers })}
          />
        </Stack>
      )}
    </SectionCard>
  );
}
