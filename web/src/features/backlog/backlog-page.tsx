import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlus, IconStack2 } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { OwnerOnly } from "@/components/owner-only";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { useCanEdit } from "@/domain/project-access";
import type { Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { type BacklogItem, useBacklog, useStartBacklog } from "./api";
import { Board } from "./board";
import { ItemCard } from "./item-card";
import { ItemDialog } from "./item-dialog";
import { OwnedItems } from "./owned-items";

/** The dialog's item; null adds one. */
type Edited = { item: BacklogItem | null };

/** What is to be built in a project, in which order. */
export function BacklogPage({ project }: { project: Project }) {
  const query = useBacklog(project.id);
  const start = useStartBacklog(project.id);
  const [edited, setEdited] = useState<Edited | null>(null);
  const items = query.data?.items ?? [];
  const isDemo = project.origin === "demo";
  const startable = items.filter((item) => item.state === "queued" && item.is_startable).length;
  const add = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      variant={items.length > 0 ? "default" : "filled"}
      onClick={() => setEdited({ item: null })}
    >
      Add item
    </Button>
  );
  const startAll = () =>
    start.mutate(undefined, {
      onSuccess: ({ count }) => notifyDone(`${plural(count, "item")} will start in order.`),
      onError: (error) => notifyFailed("Could not start the items", error),
    });
  return (
    <>
      <PageHeader
        title="Backlog"
        about="What is to be built, in order. Items start one after the other, each from the work that it depends on."
      >
        {items.length > 0 && (
          <OwnerOnly>
            {add}
            <Button
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              disabled={startable === 0}
              loading={start.isPending}
              onClick={startAll}
            >
              Start everything that can start
            </Button>
          </OwnerOnly>
        )}
      </PageHeader>
      <QueryView query={query} what="backlog">
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState
              icon={<IconStack2 size={22} />}
              title="No items yet"
              action={!isDemo && <OwnerOnly>{add}</OwnerOnly>}
            >
              {isDemo
                ? "The demo project plays a recorded build. Create a project of your own to plan builds."
                : "Add what should be built, as a description or a spec. Other programs can add items too."}
            </EmptyState>
          ) : (
            <ProjectBoard project={project} items={items} onEdit={(item) => setEdited({ item })} />
          )
        }
      </QueryView>
      {edited && (
        <ItemDialog
          projectId={project.id}
          item={edited.item}
          items={items}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

interface ProjectBoardProps {
  project: Project;
  items: BacklogItem[];
  onEdit: (item: BacklogItem) => void;
}

function ProjectBoard({ project, items, onEdit }: ProjectBoardProps) {
  const canEdit = useCanEdit();
  return (
    <Board items={items}>
      {(column, state) =>
        canEdit ? (
          <OwnedItems
            projectId={project.id}
            column={column}
            items={items}
            isOrdered={state === "queued"}
            onEdit={onEdit}
          />
        ) : (
          column.map((item) => (
            <li key={item.id}>
              <ItemCard item={item} items={items} />
            </li>
          ))
        )
      }
    </Board>
  );
}
