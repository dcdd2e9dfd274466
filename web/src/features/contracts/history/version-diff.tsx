import { Card, Group, NativeSelect, Title } from "@mantine/core";
import { DiffView } from "@/components/code/diff-view";
import { QueryView } from "@/components/query-view";
import type { ContractType } from "@/lib/api";
import { useContractDiff } from "../api";

interface Pair {
  from: number;
  to: number;
}

interface ComparisonProps {
  projectId: string;
  type: ContractType;
  newest: number;
  pair: Pair;
  onChoose: (pair: Pair) => void;
}

/** The difference between two versions; version 0 is empty. */
export function VersionDiff({ projectId, type, newest, pair, onChoose }: ComparisonProps) {
  const query = useContractDiff(projectId, type, pair.from, pair.to);
  const numbers = Array.from({ length: newest }, (_, index) => newest - index);
  const choices = numbers.map((number) => ({ value: `${number}`, label: `Version ${number}` }));
  return (
    <>
      <Title order={2} mt="xl">
        Changes
      </Title>
      <Group gap="sm" mt="xs" mb="sm">
        <NativeSelect
          label="Compare"
          size="xs"
          flex="0 1 17rem"
          value={`${pair.from}`}
          data={[...choices, { value: "0", label: "Empty" }]}
          onChange={(event) => onChoose({ ...pair, from: Number(event.currentTarget.value) })}
        />
        <NativeSelect
          label="with"
          size="xs"
          flex="0 1 17rem"
          value={`${pair.to}`}
          data={choices}
          onChange={(event) => onChoose({ ...pair, to: Number(event.currentTarget.value) })}
        />
      </Group>
      <QueryView query={query} what="changes">
        {(diff) => (
          <Card p={0} h="min(70vh, 36rem)">
            <DiffView diff={diff} />
          </Card>
        )}
      </QueryView>
    </>
  );
}
