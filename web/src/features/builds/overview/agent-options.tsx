import { Select, SimpleGrid } from "@mantine/core";
import { ExecutorField } from "@/components/executor-field";
import { PlanApprovalField } from "@/components/plan-approval-field";
import type { BuildReadiness, Exploration, StartChoices, StartOptions } from "@/lib/api";
import { PhaseExecutors } from "./phase-executors";

const EXPLORATION: Record<Exploration, string> = {
  auto: "Before the first phase, if there is code",
  always: "Before every phase",
  never: "Never",
};

interface AgentOptionsProps {
  options: StartOptions;
  choices: StartChoices;
  ready: BuildReadiness;
  onChange: (changed: Partial<StartOptions>) => void;
  onChoose: (changed: Partial<StartChoices>) => void;
}

export function AgentOptions(props: AgentOptionsProps) {
  const { options, choices, ready, onChange, onChoose } = props;
  const phases = ready.phases.filter(({ number }) => number >= (choices.first_phase ?? 0));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <PlanApprovalField
          value={options.plan_approval ?? null}
          inherited={ready.plan_approval}
          onChange={(plan_approval) => onChange({ plan_approval })}
        />
        <Select
          label="Exploration by a scout"
          allowDeselect={false}
          data={Object.entries(EXPLORATION).map(([value, label]) => ({ value, label }))}
          value={options.exploration ?? "auto"}
          onChange={(choice) => onChange({ exploration: (choice ?? "auto") as Exploration })}
        />
        <ExecutorField
          value={choices.executor ?? null}
          inherited={ready.executor}
          executors={ready.executors}
          onChange={(executor) => onChoose({ executor })}
        />
      </SimpleGrid>
      {phases.length > 1 && (
        <PhaseExecutors
          phases={phases}
          chosen={options.phase_executors ?? []}
          usual={choices.executor ?? ready.executor}
          executors={ready.executors}
          onChange={(phase_executors) => onChange({ phase_executors })}
        />
      )}
    </>
  );
}
