import { Anchor, Table, Text } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import type { AuditEntry } from "@/lib/api";
import { capitalized, formatDate } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useAuditLog } from "./api";
import { queryOf, useAuditFilter } from "./audit-filter";
import { AuditFilters, ExportMenu, type Person } from "./audit-filters";
import { auditWords } from "./audit-labels";
import classes from "./audit-log.module.css";

export function AuditLog({ people }: { people: Person[] }) {
  const [filter, change] = useAuditFilter();
  const query = useAuditLog(queryOf(filter));
  return (
    <>
      <PageHeader
        title="Audit log"
        about="Sign-ins, users, keys, settings, builds and reviews. Entries cannot be changed or removed."
      >
        <ExportMenu filter={filter} />
      </PageHeader>
      <AuditFilters filter={filter} people={people} onChange={change} />
      <QueryView query={query} what="audit log">
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.items);
          if (entries.length === 0) {
            return (
              <EmptyState icon={<IconListDetails size={22} />} title="No entries">
                No entries match the filters.
              </EmptyState>
            );
          }
          return (
            <>
              <Table
                bg="var(--surface)"
                bd="1px solid var(--line)"
                bdrs="md"
                verticalSpacing="sm"
                aria-label="Audit log"
              >
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th className={classes.when}>When</Table.Th>
                    <Table.Th className={classes.who}>Who</Table.Th>
                    <Table.Th>What</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {entries.map((entry) => (
                    <Entry key={entry.seq} entry={entry} onOnly={(actor) => change({ actor })} />
                  ))}
                </Table.Tbody>
              </Table>
              <ShowMore query={query} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

interface EntryProps {
  entry: AuditEntry;
  onOnly: (actor: string) => void;
}

function Entry({ entry, onOnly }: EntryProps) {
  const { what, comment, build } = auditWords(entry);
  const { action, actor_id: id, actor_name: name } = entry;
  return (
    <Table.Tr>
      <Table.Td className={classes.when}>
        <Text span fz="xs" c="dimmed">
          <time dateTime={entry.at}>{formatDate(entry.at)}</time>
        </Text>
      </Table.Td>
      <Table.Td className={classes.who}>
        {id ? (
          <Anchor
            component="button"
            type="button"
            fz="sm"
            ta="start"
            aria-label={`Show only actions by ${name}`}
            onClick={() => onOnly(id)}
          >
            {name}
          </Anchor>
        ) : (
          <Text fz="sm" c="dimmed">
            {action === "sign_in_failed" ? "Unknown user" : capitalized(name)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {build ? (
          <Anchor component={Link} to={paths.review(build)} fz="sm" display="inline-block">
            {what}
          </Anchor>
        ) : (
          <Text fz="sm">{what}</Text>
        )}
        {comment && (
          <Text fz="xs" c="dimmed" mt={2} lineClamp={3}>
            {comment}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
