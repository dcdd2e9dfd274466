import { Button } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { SectionCard } from "@/components/section-card";
import type { ProjectSettings } from "@/lib/api";
import { InheritedRules } from "./inherited-rules";
import { PermissionFields } from "./permission-fields";
import { MAX_RULES } from "./permission-labels";
import { PermissionTester } from "./permission-tester";

interface PermissionsCardProps {
  projectId: string;
  form: UseFormReturnType<ProjectSettings>;
}

export function PermissionsCard({ projectId, form }: PermissionsCardProps) {
  const rules = form.values.permissions ?? [];
  const add = () =>
    form.insertListItem("permissions", { permission: "bash", pattern: "", action: "ask" });
  return (
    <SectionCard
      title="Permissions"
      description="What agents may read, change and run. If several rules match, the last one applies. Project rules can only be stricter than the installation's."
      action={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={add}
          disabled={rules.length >= MAX_RULES}
        >
          Add rule
        </Button>
      }
    >
      <PermissionFields form={form} />
      <PermissionTester projectId={projectId} rules={rules} />
      <InheritedRules projectId={projectId} />
    </SectionCard>
  );
}
