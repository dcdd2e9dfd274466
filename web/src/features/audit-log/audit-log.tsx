import { Anchor, Button, Select, Table, Text } from "@mantine/core";
import { IconListDetails, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import type { AuditAction, AuditEntry } from "@/lib/api";
import { formatDate } from "@/lib/format";
import { keysOf } from "@/lib/keys-of";
import { paths } from "@/lib/paths";
import { useAuditLog } from "./api";
import { ACTIONS, auditWords } from "./audit-labels";
import classes from "./audit-log.module.css";

const CHOICES = keysOf(ACTIONS).map((value) => ({ value, label: ACTIONS[value] }));

export function AuditLog() {
  const [action, setAction] = useState<AuditAction | null>(null);
  const [actor, setActor] = useState<{ id: string; name: string } | null>(null);
  const query = useAuditLog({ ...(action && { action }), ...(actor && { actor: actor.id }) });
  return (
    <>
      <PageHeader
        title="Audit log"
        about="Changes to users, keys, settings and reviews. Entries cannot be changed or removed."
      >
        {actor && (
          <Button
            variant="default"
            rightSection={<IconX size={14} aria-hidden />}
            aria-label={`Show all users instead of ${actor.name}`}
            onClick={() => setActor(null)}
          >
            Only {actor.name}
          </Button>
        )}
        <Select
          aria-label="Action"
          placeholder="All actions"
          clearable
          clearButtonProps={{ "aria-label": "Clear filters" }}
          data={CHOICES}
          value={action}
          onChange={setAction}
        />
      </PageHeader>
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
                    <Entry key={entry.seq} entry={entry} onOnly={setActor} />
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
  onOnly: (actor: { id: string; name: string }) => void;
}

function Entry({ entry, onOnly }: EntryProps) {
  const { what, comment, build } = auditWords(entry);
  const { actor_id: id, actor_name: name } = entry;
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
            aria-label={`Show only actions by ${name}`}
            onClick={() => onOnly({ id, name })}
          >
            {name}
          </Anchor>
        ) : (
          <Text fz="sm" c="dimmed">
            the {name}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {build ? (
          <Anchor component={Link} to={paths.review(build)} fz="sm">
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
