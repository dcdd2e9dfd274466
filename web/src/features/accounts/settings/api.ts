// The signed-in user's password, sessions and forge keys.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
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
    queryFn: () =>
      fetchAllPages((query) => unwrap(api.GET("/api/forge-keys", { params: { query } }))),
  });
}

export function useCreateForgeKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateForgeKeyRequest"]) =>
      unwrap(api.POST("/api/forge-keys", { body })),
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

export function useActiveSessions() {
  return useQuery({
    queryKey: keys.sessions,
    queryFn: async () => (await unwrap(api.GET("/api/sessions"))).items,
  });
}

/** Ends one session; without an id, all other sessions. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (session: string | null) =>
      session
        ? unwrap(api.DELETE("/api/sessions/{session}", { params: { path: { session } } }))
        : unwrap(api.DELETE("/api/sessions")),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
}
