import { Group, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { IconMoodCheck, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import type { Project } from "@/lib/api";
import { type ErrorFilter, useProjectErrors } from "./api";
import { ErrorRows } from "./error-rows";

const STATES: Record<string, { label: string; filter: ErrorFilter }> = {
  all: { label: "All", filter: {} },
  open: { label: "Open", filter: { resolved: false } },
  resolved: { label: "Resolved", filter: { resolved: true, dismissed: false } },
  dismissed: { label: "Dismissed", filter: { resolved: true, dismissed: true } },
  regression: { label: "Regressions", filter: { regression: true } },
};
const CHOICES = Object.entries(STATES).map(([value, { label }]) => ({ value, label }));
/** The server's maximum. */
const MAX_SEARCH_LENGTH = 200;

/** Errors of all builds of a project, without duplicates. */
export function ProjectErrors({ project }: { project: Project }) {
  const [search, setSearch] = useSearchParams();
  const state = STATES[search.get("state") ?? ""] ? (search.get("state") ?? "all") : "all";
  const [words, setWords] = useState(search.get("q") ?? "");
  const [q] = useDebouncedValue(words.trim(), 250);
  const filter = { ...STATES[state]?.filter, ...(q && { q }) };
  const query = useProjectErrors(project.id, filter);
  const phone = useMediaQuery("(max-width: 36em)");
  const narrowed = state !== "all" || q !== "";
  const show = (next: { state: string; q: string }) =>
    setSearch(
      Object.fromEntries(Object.entries(next).filter(([, value]) => value && value !== "all")),
      { replace: true, preventScrollReset: true },
    );
  return (
    <>
      <PageHeader
        title="Errors"
        about="Errors of all builds without duplicates, with their resolution."
      />
      <Group gap="sm" mb="lg">
        <SegmentedControl
          aria-label="Filter"
          maw="100%"
          size={phone ? "xs" : "sm"}
          style={{ overflowX: "auto" }}
          data={CHOICES}
          value={state}
          onChange={(value) => show({ state: value, q: words.trim() })}
        />
        <TextInput
          flex="1 1 14rem"
          aria-label="Search errors"
          placeholder="Message, file or source"
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={MAX_SEARCH_LENGTH}
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value);
            show({ state, q: event.currentTarget.value.trim() });
          }}
        />
      </Group>
      <QueryView query={query} what="errors">
        {({ pages }) => {
          const errors = pages.flatMap((page) => page.items);
          if (errors.length === 0) {
            return (
              <EmptyState
                icon={<IconMoodCheck size={22} />}
                title={narrowed ? "No matching errors" : "No errors"}
              >
                {narrowed
                  ? "Change the search text or the filter."
                  : "Errors of builds appear here with their resolution."}
              </EmptyState>
            );
          }
          return (
            <>
              <ErrorRows projectId={project.id} errors={errors} />
              <ShowMore query={query} shown={errors.length} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}
