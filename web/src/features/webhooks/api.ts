// Webhooks of a project, or of the installation.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type Webhook = Schemas["Webhook"];
export type WebhookDelivery = Schemas["WebhookDelivery"];

/** A project's id, or null for the installation. */
export type WebhookScope = string | null;

/** How often the deliveries are refetched. */
const LOOK_EVERY_MS = 5_000;

export function useWebhooks(project: WebhookScope) {
  return useQuery({
    queryKey: keys.webhooks(project),
    queryFn: async () =>
      (
        await unwrap(
          project === null
            ? api.GET("/api/settings/webhooks")
            : api.GET("/api/projects/{project}/webhooks", { params: { path: { project } } }),
        )
      ).items,
  });
}

function useWebhookMutation<T, R>(project: WebhookScope, mutationFn: (input: T) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.webhooks(project) }),
  });
}

export const useAddWebhook = (project: WebhookScope) =>
  useWebhookMutation(project, (body: Schemas["AddWebhookRequest"]) =>
    unwrap(
      project === null
        ? api.POST("/api/settings/webhooks", { body })
        : api.POST("/api/projects/{project}/webhooks", { params: { path: { project } }, body }),
    ),
  );

/** Also enables a disabled webhook. */
export const useUpdateWebhook = (project: WebhookScope, webhook: string) =>
  useWebhookMutation(project, (body: Schemas["UpdateWebhookRequest"]) =>
    unwrap(
      project === null
        ? api.PATCH("/api/settings/webhooks/{webhook}", { params: { path: { webhook } }, body })
        : api.PATCH("/api/projects/{project}/webhooks/{webhook}", {
            params: { path: { project, webhook } },
            body,
          }),
    ),
  );

export const useRemoveWebhook = (project: WebhookScope, webhook: string) =>
  useWebhookMutation(project, () =>
    unwrap(
      project === null
        ? api.DELETE("/api/settings/webhooks/{webhook}", { params: { path: { webhook } } })
        : api.DELETE("/api/projects/{project}/webhooks/{webhook}", {
            params: { path: { project, webhook } },
          }),
    ),
  );

export function useDeliveries(project: WebhookScope, webhook: string) {
  return useInfiniteQuery({
    queryKey: keys.deliveries(project, webhook),
    queryFn: ({ pageParam }) => {
      const query = pageParam ? { after: pageParam } : {};
      return unwrap(
        project === null
          ? api.GET("/api/settings/webhooks/{webhook}/deliveries", {
              params: { path: { webhook }, query },
            })
          : api.GET("/api/projects/{project}/webhooks/{webhook}/deliveries", {
              params: { path: { project, webhook }, query },
            }),
      );
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
    refetchInterval: LOOK_EVERY_MS,
  });
}

export const useSendAgain = (project: WebhookScope, webhook: string) =>
  useWebhookMutation(project, (delivery: string) =>
    unwrap(
      project === null
        ? api.POST("/api/settings/webhooks/{webhook}/deliveries/{delivery}/send", {
            params: { path: { webhook, delivery } },
          })
        : api.POST("/api/projects/{project}/webhooks/{webhook}/deliveries/{delivery}/send", {
            params: { path: { project, webhook, delivery } },
          }),
    ),
  );
