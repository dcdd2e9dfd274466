import { Group, SegmentedControl, Select, Switch, TextInput } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import {
  IconAlertCircle,
  IconArrowsMoveVertical,
  IconDownload,
  IconFilter,
  IconFold,
  IconSearch,
} from "@tabler/icons-react";
import { type RefObject, useId } from "react";
import { IconTool } from "@/components/icon-tool";
import type { Role } from "@/domain/feed/event";
import { roleName } from "@/domain/role-names";
import type { RowGroup } from "./row";
import type { Filter } from "./row-filter";

const KINDS: { value: RowGroup | "all"; label: string }[] = [
  { value: "all", label: "All" },
  { value: "agents", label: "Agents" },
  { value: "gates", label: "Gates" },
  { value: "commits", label: "Commits" },
  { value: "errors", label: "Errors" },
];
const ROLES: Role[] = ["scout", "coder", "auditor", "fixer"];

export interface PhaseOption {
  number: number;
  title: string;
}

interface ActivityToolbarProps {
  filter: Filter;
  onFilter: (change: Partial<Filter>) => void;
  search: string;
  onSearch: (text: string) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  phases: PhaseOption[];
  logsOpen: boolean;
  onLogs: () => void;
  onFirstError: () => void;
  exporting: boolean;
  onExport: () => void;
  following: boolean;
  onFollow: (following: boolean) => void;
}

export function ActivityToolbar(props: ActivityToolbarProps) {
  const { filter, onFilter, search, onSearch, searchRef, following, onFollow } = props;
  const narrow = useMediaQuery("(max-width: 48em)");
  const id = useId();
  const [opened, more] = useDisclosure(false);
  const kind = filter.kind ?? "all";
  const onKind = (value: RowGroup | "all" | null) =>
    onFilter({ kind: value === "all" ? null : value });
  const Fold = props.logsOpen ? IconFold : IconArrowsMoveVertical;
  return (
    <Group
      component="search"
      gap="xs"
      px={{ base: "sm", sm: "md" }}
      py="xs"
      style={{ borderBottom: "1px solid var(--line)" }}
      aria-label="Activity"
    >
      {narrow ? (
        <Select
          aria-label="Show"
          size="xs"
          w={92}
          data={KINDS}
          value={kind}
          allowDeselect={false}
          onChange={onKind}
        />
      ) : (
        <SegmentedControl aria-label="Show" size="xs" data={KINDS} value={kind} onChange={onKind} />
      )}
      <TextInput
        ref={searchRef}
        aria-label="Search activity"
        placeholder="Search"
        size="xs"
        flex="1 1 6rem"
        maw="16rem"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <Group gap={2} wrap="nowrap">
        <IconTool
          label="Filter by agent or phase"
          opens={{ id, opened }}
          onClick={() => {
            if (opened) onFilter({ role: null, phase: null });
            more.toggle();
          }}
        >
          <IconFilter size={16} aria-hidden />
        </IconTool>
        <IconTool label="Jump to first error (e)" onClick={props.onFirstError}>
          <IconAlertCircle size={16} aria-hidden />
        </IconTool>
        <IconTool label={props.logsOpen ? "Collapse all" : "Expand all"} onClick={props.onLogs}>
          <Fold size={16} aria-hidden />
        </IconTool>
        <IconTool
          label="Export journal as NDJSON"
          loading={props.exporting}
          onClick={props.onExport}
        >
          <IconDownload size={16} aria-hidden />
        </IconTool>
      </Group>
      <Switch
        label="Follow"
        size="sm"
        ml="auto"
        checked={following}
        onChange={(event) => onFollow(event.currentTarget.checked)}
      />
      <Group id={id} gap="xs" w="100%" display={opened ? undefined : "none"}>
        <Select
          aria-label="Agent"
          size="xs"
          placeholder="All agents"
          clearable
          data={ROLES.map((role) => ({ value: role, label: roleName(role) }))}
          value={filter.role}
          onChange={(role) => onFilter({ role })}
        />
        <Select
          aria-label="Phase"
          size="xs"
          placeholder="All phases"
          clearable
          flex={1}
          maw="22rem"
          data={props.phases.map(({ number, title }) => ({
            value: String(number),
            label: `${number}. ${title}`,
          }))}
          value={filter.phase}
          onChange={(phase) => onFilter({ phase })}
        />
      </Group>
    </Group>
  );
}
