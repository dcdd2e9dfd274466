import { Select, SimpleGrid } from "@mantine/core";
import { PlanApprovalField } from "@/components/plan-approval-field";
import type { Exploration, PlanApproval, StartOptions } from "@/lib/api";

const EXPLORATION: Record<Exploration, string> = {
  auto: "Before the first phase, if there is code",
  always: "Before every phase",
  never: "Never",
};

interface AgentOptionsProps {
  options: StartOptions;
  /** The project's choice. */
  planApproval: PlanApproval;
  onChange: (changed: Partial<StartOptions>) => void;
}

export function AgentOptions({ options, planApproval, onChange }: AgentOptionsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <PlanApprovalField
        value={options.plan_approval ?? null}
        inherited={planApproval}
        onChange={(plan_approval) => onChange({ plan_approval })}
      />
      <Select
        label="Exploration by a scout"
        allowDeselect={false}
        data={Object.entries(EXPLORATION).map(([value, label]) => ({ value, label }))}
        value={options.exploration ?? "auto"}
        onChange={(choice) => onChange({ exploration: (choice ?? "auto") as Exploration })}
      />
    </SimpleGrid>
  );
}
