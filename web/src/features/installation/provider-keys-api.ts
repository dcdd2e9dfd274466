// Keys of model providers, for administrators. The server never returns a key.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

type Provider = Schemas["ModelProvider"];

export function useProviderKeys() {
  return useQuery({
    queryKey: keys.providerKeys,
    queryFn: () => unwrap(api.GET("/api/settings/provider-keys")),
  });
}

/** An empty key or address is not set. */
export function useSetProviderKey(provider: Provider) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, base_url }: { key: string; base_url: string }) =>
      unwrap(
        api.PUT("/api/settings/provider-keys/{provider}", {
          params: { path: { provider } },
          body: { key: key || null, base_url: base_url || null },
        }),
      ),
    onSuccess: (saved) => {
      storeResponse(client, keys.providerKeys, saved);
      // It contains the models in use.
      void client.invalidateQueries({ queryKey: keys.installationSettings });
    },
  });
}

export function useRemoveProviderKey(provider: Provider) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/api/settings/provider-keys/{provider}", { params: { path: { provider } } }),
      ),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.providerKeys }),
        client.invalidateQueries({ queryKey: keys.installationSettings }),
      ]),
  });
}

/** Sends one request to the named model, or to the one in use. */
export function useTestProviderKey(provider: Provider) {
  return useMutation({
    mutationFn: (model: string) =>
      unwrap(
        api.POST("/api/settings/provider-keys/{provider}/test", {
          params: { path: { provider } },
          body: { model: model || null },
        }),
      ),
  });
}
