import { Box, Group, SegmentedControl, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconListDetails, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { phasesLabel, sentence, stateOf } from "@/components/requirements/requirement-labels";
import { RequirementText } from "@/components/requirements/requirement-text";
import { ScrollPanel } from "@/components/scroll-panel";
import { plural } from "@/lib/format";
import { type MatrixRow, type RequirementsMatrix, useBuildRequirements } from "./api";
import { CriterionProof } from "./criterion-proof";

type Filter = "all" | "open";
const CHOICES = [
  { value: "all", label: "All" },
  { value: "open", label: "Not proven" },
];

/** The requirements of a build, each with its criteria and their proofs. */
export default function RequirementsPanel({ buildId }: { buildId: string }) {
  const query = useBuildRequirements(buildId);
  return (
    <QueryView query={query} what="requirements">
      {(matrix) =>
        matrix.items.length === 0 ? (
          <EmptyState
            icon={<IconListDetails size={22} />}
            title="No requirements with ids"
            order={3}
          >
            The blueprint of this build gives its requirements no ids, so they are not traced to
            proofs.
          </EmptyState>
        ) : (
          <Matrix matrix={matrix} />
        )
      }
    </QueryView>
  );
}

function Matrix({ matrix }: { matrix: RequirementsMatrix }) {
  const { items, phase_files } = matrix;
  const [filter, setFilter] = useState<Filter>("all");
  const [path, setPath] = useState("");
  const proven = items.filter(({ standing }) => standing === "holds").length;
  const wanted = path.trim().toLowerCase();
  const phasesOfPath = new Set(
    phase_files
      .filter(({ files }) => files.some((file) => file.toLowerCase().includes(wanted)))
      .map(({ phase }) => phase),
  );
  const shown = items.filter(
    ({ standing, phases }) =>
      (filter === "all" || standing !== "holds") &&
      (wanted === "" || phases.some((phase) => phasesOfPath.has(phase))),
  );
  return (
    <ScrollPanel label="Requirements">
      <Stack gap="md" maw="60rem" mx="auto">
        <Title order={3}>
          {proven} of {plural(items.length, "requirement")} proven
        </Title>
        <Group gap="sm">
          <SegmentedControl
            aria-label="Filter"
            data={CHOICES}
            value={filter}
            onChange={(value) => setFilter(value as Filter)}
          />
          <TextInput
            flex="1 1 14rem"
            aria-label="Changed file"
            placeholder="Requirements served by a changed file"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
        </Group>
        {shown.length === 0 ? (
          <Text c="dimmed" fz="sm">
            No matching requirements.
          </Text>
        ) : (
          <PlainList>
            {shown.map((row) => (
              <PlainListItem key={row.id}>
                <Row row={row} />
              </PlainListItem>
            ))}
          </PlainList>
        )}
      </Stack>
    </ScrollPanel>
  );
}

function Row({ row }: { row: MatrixRow }) {
  return (
    <RequirementText requirement={row} state={stateOf(row.standing)}>
      <Text fz="sm" c="dimmed">
        {[phasesLabel(row.phases), sentence(row.reason)].filter(Boolean).join(" · ")}
      </Text>
      {row.criteria.length > 0 && (
        <Box component="ul" className="plain-list">
          {row.criteria.map((criterion) => (
            <CriterionProof key={`${criterion.phase}.${criterion.index}`} criterion={criterion} />
          ))}
        </Box>
      )}
    </RequirementText>
  );
}
