import { Select } from "@mantine/core";
import { executorName } from "@/domain/executor-names";
import type { Executor, StartExecutor } from "@/lib/api";

interface ExecutorFieldProps {
  label?: string;
  /** `null` inherits. */
  value: Executor | null;
  /** Offers to inherit this choice. */
  inherited?: Executor;
  inheritedFrom?: "Project" | "Build";
  executors: StartExecutor[];
  error?: string;
  onChange: (choice: Executor | null) => void;
}

/** What writes the code. Agents that cannot be used are listed, with the reason if one is chosen. */
export function ExecutorField(props: ExecutorFieldProps) {
  const { label = "Coding agent", value, inherited, inheritedFrom = "Project" } = props;
  const { executors, error, onChange } = props;
  const chosen = value ?? inherited;
  const obstacle = executors.find(({ executor }) => executor === chosen)?.obstacle;
  return (
    <Select
      label={label}
      placeholder={inherited && `${inheritedFrom}: ${executorName(inherited)}`}
      clearable={inherited !== undefined}
      allowDeselect={false}
      data={executors.map(({ executor, label: name, version, obstacle: unusable }) => ({
        value: executor,
        label: [name, version, unusable && "(not available)"].filter(Boolean).join(" "),
        disabled: unusable !== null && executor !== chosen,
      }))}
      error={error ?? obstacle}
      value={value}
      onChange={(choice) => onChange(choice as Executor | null)}
    />
  );
}
