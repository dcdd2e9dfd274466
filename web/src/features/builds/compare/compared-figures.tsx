import { Anchor, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { SectionCard } from "@/components/section-card";
import { VerdictBadge } from "@/components/verdict-badge";
import { buildTitle } from "@/domain/build-name";
import { buildState } from "@/domain/build-status";
import { paths } from "@/lib/paths";
import type { BuildComparison, ComparedBuild } from "./api";
import { figuresOf } from "./figures";

/** The results of both builds, and what they used. */
export function ComparedFigures({ comparison: { from, to } }: { comparison: BuildComparison }) {
  return (
    <SectionCard title="Result">
      <Table verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="28%">Figure</Table.Th>
            <BuildHead build={from} />
            <BuildHead build={to} />
            <Table.Th w="18%" ta="right" visibleFrom="xs">
              Difference
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Row
            label="Verdict"
            cells={[from, to].map(({ id, verdict }) =>
              verdict ? <VerdictBadge key={id} verdict={verdict} /> : "none",
            )}
          />
          <Row label="Status" cells={[from, to].map((build) => buildState(build).label)} />
          {figuresOf(from, to).map(({ label, from, to, difference }) => (
            <Row key={label} label={label} cells={[from, to]} difference={difference} />
          ))}
        </Table.Tbody>
      </Table>
    </SectionCard>
  );
}

function BuildHead({ build }: { build: ComparedBuild }) {
  return (
    <Table.Th ta="right">
      <Anchor component={Link} to={paths.build(build.project_id, build.number)} fz="inherit">
        #{build.number}
      </Anchor>
      <Text span display="block" fz="xs" c="dimmed" fw={400} truncate>
        {buildTitle(build)}
      </Text>
    </Table.Th>
  );
}

interface RowProps {
  label: string;
  cells: ReactNode[];
  difference?: string;
}

function Row({ label, cells: [from, to], difference }: RowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
      </Table.Th>
      <Table.Td ta="right">{from}</Table.Td>
      <Table.Td ta="right">{to}</Table.Td>
      <Table.Td ta="right" c="dimmed" visibleFrom="xs">
        {difference}
      </Table.Td>
    </Table.Tr>
  );
}
