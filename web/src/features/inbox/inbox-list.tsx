import { Button, Card } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useInbox, useMarkInbox } from "./api";
import { InboxRow } from "./inbox-row";

/** What is waiting for the user, newest first. */
export function InboxList() {
  const query = useInbox();
  const mark = useMarkInbox();
  const newest = query.data?.pages[0];
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const questions = items.some(({ kind }) => kind === "question");
  return (
    <>
      <PageHeader
        title="Inbox"
        about={
          newest && newest.count > 0
            ? `${plural(newest.count, "item")}, ${newest.unread_count} unread. Items disappear when they are handled.`
            : "Questions, plans, blocked builds and reviews of all projects."
        }
      >
        {questions && (
          <Button variant="default" component={Link} to={paths.questions}>
            Answer questions
          </Button>
        )}
        {newest !== undefined && newest.unread_count > 0 && (
          <Button
            variant="default"
            loading={mark.isPending}
            onClick={() => mark.mutate({ read: true })}
          >
            Mark all as read
          </Button>
        )}
      </PageHeader>
      <QueryView query={query} what="inbox">
        {() =>
          items.length === 0 ? (
            <EmptyState icon={<IconInbox size={22} />} title="Nothing is waiting for you">
              Questions of your builds, plans to approve, blocked builds and reviews appear here.
            </EmptyState>
          ) : (
            <>
              <Card component="ul" p={0} className="plain-list lined" aria-label="Inbox">
                {items.map((item) => (
                  <li key={item.key}>
                    <InboxRow
                      item={item}
                      onMark={(read) => mark.mutate({ items: [item.key], read })}
                    />
                  </li>
                ))}
              </Card>
              <ShowMore query={query} />
            </>
          )
        }
      </QueryView>
    </>
  );
}
