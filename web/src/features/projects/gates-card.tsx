import { Button } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { SectionCard } from "@/components/section-card";
import type { Gate, ProjectSettings } from "@/lib/api";
import { DetectedGates } from "./detected-gates";
import { GateFields } from "./gate-fields";

const EMPTY: Gate = { name: "", command: "", timeout_s: 300, required: true, network: false };

interface GatesCardProps {
  projectId: string;
  form: UseFormReturnType<ProjectSettings>;
}

/** The project's gates, and suggestions from the repository. */
export function GatesCard({ projectId, form }: GatesCardProps) {
  return (
    <SectionCard
      title="Gates"
      description="Commands that must exit with code 0 before a phase is signed off. Built-in checks always run."
      action={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => form.insertListItem("gates", EMPTY)}
        >
          Add gate
        </Button>
      }
    >
      <GateFields form={form} />
      <DetectedGates projectId={projectId} form={form} />
    </SectionCard>
  );
}
