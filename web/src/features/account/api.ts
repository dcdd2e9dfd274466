// The signed-in user's password and forge keys.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: Schemas["ChangePasswordRequest"]) =>
      unwrap(api.POST("/api/me/password", { body })),
  });
}

export function useForgeKeys() {
  return useQuery({
    queryKey: keys.forgeKeys,
    queryFn: async () => (await unwrap(api.GET("/api/forge-keys"))).items,
  });
}

export function useCreateForgeKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => unwrap(api.POST("/api/forge-keys", { body: { name } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.forgeKeys }),
  });
}

export function useRevokeForgeKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string) =>
      unwrap(api.DELETE("/api/forge-keys/{key}", { params: { path: { key } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.forgeKeys }),
  });
}
