import { Select } from "@mantine/core";
import { executorName } from "@/domain/executor-names";
import type { Executor, StartExecutor } from "@/lib/api";

interface ExecutorFieldProps {
  /** `null` inherits from the project. */
  value: Executor | null;
  /** Offers to inherit this choice of the project. */
  inherited?: Executor;
  executors: StartExecutor[];
  error?: string;
  onChange: (choice: Executor | null) => void;
}

/** What writes the code. Agents that cannot be used are listed, with the reason if one is chosen. */
export function ExecutorField(props: ExecutorFieldProps) {
  const { value, inherited, executors, error, onChange } = props;
  const chosen = value ?? inherited;
  const obstacle = executors.find(({ executor }) => executor === chosen)?.obstacle;
  return (
    <Select
      label="Coding agent"
      placeholder={inherited && `Project: ${executorName(inherited)}`}
      clearable={inherited !== undefined}
      allowDeselect={false}
      data={executors.map(({ executor, label, obstacle: unusable }) => ({
        value: executor,
        label: unusable ? `${label} (not available)` : label,
        disabled: unusable !== null && executor !== chosen,
      }))}
      error={error ?? obstacle}
      value={value}
      onChange={(choice) => onChange(choice as Executor | null)}
    />
  );
}
