import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type BacklogItem = Schemas["BacklogItem"];
export type ItemState = Schemas["ItemState"];
export type ItemRequest = Schemas["BacklogItemRequest"];

/** While builds run, and otherwise. */
const BUSY_INTERVAL_MS = 3_000;
const IDLE_INTERVAL_MS = 15_000;

const interval = (items: BacklogItem[] | undefined) =>
  items?.some(({ state, start_requested }) => state === "running" || start_requested)
    ? BUSY_INTERVAL_MS
    : IDLE_INTERVAL_MS;

export function useBacklog(project: string) {
  return useQuery({
    queryKey: keys.backlog(project),
    queryFn: () =>
      unwrap(api.GET("/api/projects/{project}/backlog", { params: { path: { project } } })),
    refetchInterval: (query) => interval(query.state.data?.items),
  });
}

export function useAllBacklogs() {
  return useQuery({
    queryKey: keys.allBacklogs,
    queryFn: () => unwrap(api.GET("/api/backlog")),
    refetchInterval: (query) => interval(query.state.data?.items),
  });
}

/** The spec of an item. */
export function useItemSpec(project: string, item: BacklogItem | null) {
  const id = item?.id ?? "";
  return useQuery({
    queryKey: keys.backlogItem(project, id),
    queryFn: () =>
      unwrap(
        api.GET("/api/projects/{project}/backlog/{item}", {
          params: { path: { project, item: id } },
        }),
      ),
    enabled: item?.has_spec === true,
    // What is edited is the version that was read.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function useRefetchBacklog(project: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.backlog(project) });
}

/** Adds an item, or changes the one with this id. */
export function useSaveItem(project: string, item: string | null) {
  return useMutation({
    mutationFn: (body: ItemRequest) =>
      unwrap(
        item === null
          ? api.POST("/api/projects/{project}/backlog", { params: { path: { project } }, body })
          : api.PUT("/api/projects/{project}/backlog/{item}", {
              params: { path: { project, item } },
              body,
            }),
      ),
    onSuccess: useRefetchBacklog(project),
  });
}

export function useStartBacklog(project: string) {
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST("/api/projects/{project}/backlog/start", { params: { path: { project } } })),
    onSuccess: useRefetchBacklog(project),
  });
}

export type ItemCommand =
  | { kind: "start" | "withdraw" | "delete" }
  | { kind: "move"; before: string | null };

export function useItemCommand(project: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ item, command }: { item: string; command: ItemCommand }) => {
      const params = { path: { project, item } };
      switch (command.kind) {
        case "start":
          return unwrap(api.POST("/api/projects/{project}/backlog/{item}/start", { params }));
        case "withdraw":
          return unwrap(api.DELETE("/api/projects/{project}/backlog/{item}/start", { params }));
        case "delete":
          return unwrap(api.DELETE("/api/projects/{project}/backlog/{item}", { params }));
        case "move": {
          const body = { before: command.before };
          const url = "/api/projects/{project}/backlog/{item}/move";
          const moved = await unwrap(api.POST(url, { params, body }));
          client.setQueryData(keys.backlog(project), moved);
          return moved;
        }
      }
    },
    onSettled: useRefetchBacklog(project),
  });
}
