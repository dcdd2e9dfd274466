import { Button } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { SectionCard } from "@/components/section-card";
import type { ProjectSettings } from "@/lib/api";
import { PermissionFields } from "./permission-fields";
import { PermissionTester } from "./permission-tester";
import { MOST_RULES } from "./permission-words";
import { RulesAbove } from "./rules-above";

interface PermissionsCardProps {
  projectId: string;
  form: UseFormReturnType<ProjectSettings>;
}

/** What agents may read, change and run in this project. */
export function PermissionsCard({ projectId, form }: PermissionsCardProps) {
  const rules = form.values.permissions ?? [];
  const add = () =>
    form.insertListItem("permissions", { permission: "bash", pattern: "", action: "ask" });
  return (
    <SectionCard
      title="Permissions"
      description="What agents may read, change and run. Of several rules that fit, the last one counts; this project can be stricter than its installation, never looser."
      action={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={add}
          disabled={rules.length >= MOST_RULES}
        >
          Add rule
        </Button>
      }
    >
      <PermissionFields form={form} />
      <PermissionTester projectId={projectId} rules={rules} />
      <RulesAbove projectId={projectId} />
    </SectionCard>
  );
}
