import { Button, Group, Menu, Select, TextInput } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { keysOf } from "@/lib/keys-of";
import { exportPath, useAuditedProjects } from "./api";
import { type AuditFilter, queryOf } from "./audit-filter";
import { ACTIONS } from "./audit-labels";

const CHOICES = keysOf(ACTIONS).map((value) => ({ value, label: ACTIONS[value] }));

/** All fit into a row of a wide window, two into that of a phone. */
const WIDTH = "1 1 9rem";

/** A user as a choice. */
export interface Person {
  id: string;
  name: string;
}

interface AuditFiltersProps {
  filter: AuditFilter;
  people: Person[];
  onChange: (part: Partial<AuditFilter>) => void;
}

export function AuditFilters({ filter, people, onChange }: AuditFiltersProps) {
  const projects = useAuditedProjects().data ?? [];
  const isFiltered = Object.values(filter).some(Boolean);
  const clear = { action: null, actor: null, project: null, from: null, until: null };
  const options = (items: Person[]) => items.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Group component="search" gap="xs" mb="md" align="flex-end">
      <FilterSelect
        label="Action"
        all="All actions"
        data={CHOICES}
        value={filter.action}
        onChange={(action) => onChange({ action })}
      />
      <FilterSelect
        label="Person"
        all="Everyone"
        data={options(people)}
        value={filter.actor}
        onChange={(actor) => onChange({ actor })}
      />
      <FilterSelect
        label="Project"
        all="All projects"
        data={options(projects)}
        value={filter.project}
        onChange={(project) => onChange({ project })}
      />
      <Group gap="xs" wrap="nowrap" flex="2 1 18rem">
        <TextInput
          type="date"
          label="From"
          flex={WIDTH}
          max={filter.until ?? undefined}
          value={filter.from ?? ""}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label="Until"
          flex={WIDTH}
          min={filter.from ?? undefined}
          value={filter.until ?? ""}
          onChange={(event) => onChange({ until: event.currentTarget.value })}
        />
      </Group>
      {isFiltered && (
        <Button variant="subtle" onClick={() => onChange(clear)}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

interface FilterSelectProps<T extends string> {
  label: string;
  /** Shown if nothing is chosen. */
  all: string;
  data: { value: T; label: string }[];
  value: T | null;
  onChange: (value: T | null) => void;
}

function FilterSelect<T extends string>({ label, all, ...props }: FilterSelectProps<T>) {
  return (
    <Select<T>
      label={label}
      placeholder={all}
      flex={WIDTH}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `Clear ${label.toLowerCase()}` }}
      {...props}
    />
  );
}

/** Downloads of the entries that match the filter. */
export function ExportMenu({ filter }: { filter: AuditFilter }) {
  const query = queryOf(filter);
  return (
    <Menu position="bottom-end" withinPortal shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportPath("csv", query)} download>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={exportPath("jsonl", query)} download>
          JSON Lines
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
