import { Select } from "@mantine/core";
import type { PlanApproval } from "@/lib/api";

const LABELS: Record<PlanApproval, string> = {
  never: "Never",
  first_phase: "The plan of the first phase",
  every_phase: "The plan of every phase",
};

interface PlanApprovalFieldProps {
  /** `null` inherits from the project. */
  value: PlanApproval | null;
  /** Offers to inherit this choice of the project. */
  inherited?: PlanApproval;
  onChange: (choice: PlanApproval | null) => void;
}

export function PlanApprovalField({ value, inherited, onChange }: PlanApprovalFieldProps) {
  return (
    <Select
      label="Plans to approve"
      placeholder={inherited && `Project: ${LABELS[inherited]}`}
      clearable={inherited !== undefined}
      allowDeselect={false}
      data={Object.entries(LABELS).map(([choice, label]) => ({ value: choice, label }))}
      value={value}
      onChange={(choice) => onChange(choice as PlanApproval | null)}
    />
  );
}
