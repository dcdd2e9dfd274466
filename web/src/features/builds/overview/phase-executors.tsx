import { SimpleGrid } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import { ExecutorField } from "@/components/executor-field";
import type { Executor, PhaseExecutor, StartExecutor } from "@/lib/api";

interface PhaseExecutorsProps {
  phases: { number: number; title: string }[];
  chosen: PhaseExecutor[];
  /** What performs the other phases. */
  usual: Executor;
  executors: StartExecutor[];
  onChange: (chosen: PhaseExecutor[]) => void;
}

/** What writes the code in single phases. */
export function PhaseExecutors(props: PhaseExecutorsProps) {
  const { phases, chosen, usual, executors, onChange } = props;

  function choose(phase: number, executor: Executor | null) {
    const others = chosen.filter((own) => own.phase !== phase);
    onChange(executor ? [...others, { phase, executor }] : others);
  }

  return (
    <Disclosure summary="Choose an agent for each phase">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" pt="xs">
        {phases.map(({ number, title }) => (
          <ExecutorField
            key={number}
            label={`Phase ${number}: ${title}`}
            value={chosen.find(({ phase }) => phase === number)?.executor ?? null}
            inherited={usual}
            inheritedFrom="Build"
            executors={executors}
            onChange={(executor) => choose(number, executor)}
          />
        ))}
      </SimpleGrid>
    </Disclosure>
  );
}
