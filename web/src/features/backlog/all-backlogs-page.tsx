import { Alert, Group, NativeSelect } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { useAllBacklogs } from "./api";
import { Board } from "./board";
import { ItemCard } from "./item-card";

/** The backlogs of all projects. */
export function AllBacklogsPage() {
  const query = useAllBacklogs();
  const [project, setProject] = useState("");
  const projects = new Map(
    query.data?.items.map(({ project_id, project_name }) => [project_id, project_name]),
  );
  return (
    <>
      <PageHeader
        title="Backlogs of all projects"
        about="What is queued, running or waiting for you. Items of archived projects are left out."
      />
      <QueryView query={query} what="backlogs">
        {({ items, is_truncated }) =>
          items.length === 0 ? (
            <EmptyState icon={<IconStack2 size={22} />} title="No items yet">
              Add items in the backlog of a project. They appear here with their builds.
            </EmptyState>
          ) : (
            <>
              {is_truncated && (
                <Alert color="yellow" mb="md">
                  There are more items than are shown here. Open the backlog of a project to see all
                  of its items.
                </Alert>
              )}
              {projects.size > 1 && (
                <Group component="search" justify="flex-end" mb="md">
                  <NativeSelect
                    aria-label="Project"
                    data={[
                      { value: "", label: "All projects" },
                      ...[...projects].map(([value, label]) => ({ value, label })),
                    ]}
                    value={project}
                    onChange={(event) => setProject(event.currentTarget.value)}
                  />
                </Group>
              )}
              <Board items={items.filter((item) => !project || item.project_id === project)}>
                {(column) =>
                  column.map((item) => (
                    <li key={item.id}>
                      <ItemCard item={item} items={items} showsProject />
                    </li>
                  ))
                }
              </Board>
            </>
          )
        }
      </QueryView>
    </>
  );
}
