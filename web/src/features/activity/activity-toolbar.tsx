import { SegmentedControl, Select, Switch, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import classes from "./activity.module.css";
import type { RowFilter } from "./row";

const FILTERS: { value: RowFilter | "all"; label: string }[] = [
  { value: "all", label: "All" },
  { value: "agents", label: "Agents" },
  { value: "gates", label: "Gates" },
  { value: "commits", label: "Commits" },
  { value: "errors", label: "Errors" },
];

interface ActivityToolbarProps {
  filter: RowFilter | "all";
  onFilter: (filter: RowFilter | "all") => void;
  search: string;
  onSearch: (text: string) => void;
  following: boolean;
  onFollow: (following: boolean) => void;
}

export function ActivityToolbar({
  filter,
  onFilter,
  search,
  onSearch,
  following,
  onFollow,
}: ActivityToolbarProps) {
  const narrow = useMediaQuery("(max-width: 48em)");
  return (
    <search className={classes.toolbar} aria-label="Activity">
      {narrow ? (
        <Select
          aria-label="Show"
          size="xs"
          w={92}
          data={FILTERS}
          value={filter}
          allowDeselect={false}
          onChange={(value) => onFilter((value ?? "all") as RowFilter | "all")}
        />
      ) : (
        <SegmentedControl
          aria-label="Show"
          size="xs"
          data={FILTERS}
          value={filter}
          onChange={(value) => onFilter(value as RowFilter | "all")}
        />
      )}
      <TextInput
        aria-label="Search the activity"
        placeholder="Search"
        size="xs"
        className={classes.search}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <Switch
        label="Follow"
        size="sm"
        ml="auto"
        checked={following}
        onChange={(event) => onFollow(event.currentTarget.checked)}
      />
    </search>
  );
}
