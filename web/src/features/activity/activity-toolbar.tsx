import { SegmentedControl, Select, Switch, TextInput } from "@mantine/core";
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
import type { Role } from "@/lib/feed/event";
import { roleName } from "@/lib/role-names";
import classes from "./activity.module.css";
import type { Narrowing, RowFilter } from "./row";

const KINDS: { value: RowFilter | "all"; label: string }[] = [
  { value: "all", label: "All" },
  { value: "agents", label: "Agents" },
  { value: "gates", label: "Gates" },
  { value: "commits", label: "Commits" },
  { value: "errors", label: "Errors" },
];
const ROLES: Role[] = ["scout", "coder", "auditor", "fixer"];

export interface PhaseChoice {
  number: number;
  title: string;
}

interface ActivityToolbarProps {
  narrowing: Narrowing;
  onNarrow: (change: Partial<Narrowing>) => void;
  search: string;
  onSearch: (text: string) => void;
  searchRef: RefObject<HTMLInputElement | null>;
  phases: PhaseChoice[];
  logsOpen: boolean;
  onLogs: () => void;
  onFirstError: () => void;
  exporting: boolean;
  onExport: () => void;
  following: boolean;
  onFollow: (following: boolean) => void;
}

export function ActivityToolbar(props: ActivityToolbarProps) {
  const { narrowing, onNarrow, search, onSearch, searchRef, following, onFollow } = props;
  const narrow = useMediaQuery("(max-width: 48em)");
  const id = useId();
  const [opened, more] = useDisclosure(false);
  const kind = narrowing.kind ?? "all";
  const onKind = (value: string | null) =>
    onNarrow({ kind: value === "all" ? null : (value as RowFilter | null) });
  const Fold = props.logsOpen ? IconFold : IconArrowsMoveVertical;
  return (
    <search className={classes.toolbar} aria-label="Activity">
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
        aria-label="Search the activity"
        placeholder="Search"
        size="xs"
        className={classes.search}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <div className={classes.tools}>
        <IconTool
          label="Only one agent or phase"
          opens={{ id, opened }}
          onClick={() => {
            if (opened) onNarrow({ role: null, phase: null });
            more.toggle();
          }}
        >
          <IconFilter size={16} aria-hidden />
        </IconTool>
        <IconTool label="Jump to the first error (e)" onClick={props.onFirstError}>
          <IconAlertCircle size={16} aria-hidden />
        </IconTool>
        <IconTool
          label={props.logsOpen ? "Close all logs" : "Open all logs"}
          onClick={props.onLogs}
        >
          <Fold size={16} aria-hidden />
        </IconTool>
        <IconTool
          label="Export the journal as NDJSON"
          loading={props.exporting}
          onClick={props.onExport}
        >
          <IconDownload size={16} aria-hidden />
        </IconTool>
      </div>
      <Switch
        label="Follow"
        size="sm"
        ml="auto"
        checked={following}
        onChange={(event) => onFollow(event.currentTarget.checked)}
      />
      <div id={id} hidden={!opened} className={classes.more}>
        <Select
          aria-label="Agent"
          size="xs"
          placeholder="Every agent"
          clearable
          data={ROLES.map((role) => ({ value: role, label: roleName(role) }))}
          value={narrowing.role}
          onChange={(role) => onNarrow({ role: role as Role | null })}
        />
        <Select
          aria-label="Phase"
          size="xs"
          placeholder="Every phase"
          clearable
          className={classes.phaseChoice}
          data={props.phases.map(({ number, title }) => ({
            value: String(number),
            label: `${number}. ${title}`,
          }))}
          value={narrowing.phase}
          onChange={(phase) => onNarrow({ phase })}
        />
      </div>
    </search>
  );
}
