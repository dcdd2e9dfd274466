// Providers with which users sign in, for administrators. The server never returns a client secret.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type SignInProvider = Schemas["SignInProvider"];
type Values = Schemas["SignInProviderRequest"];

export function useSignInProviders() {
  return useQuery({
    queryKey: keys.signInProviders,
    queryFn: () => unwrap(api.GET("/api/settings/sign-in-providers")),
  });
}

/** Adds a provider, or changes the one with the id. */
export function useSaveSignInProvider(provider: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Values) =>
      provider
        ? unwrap(
            api.PUT("/api/settings/sign-in-providers/{provider}", {
              params: { path: { provider } },
              body,
            }),
          )
        : unwrap(api.POST("/api/settings/sign-in-providers", { body })),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.signInProviders }),
        client.invalidateQueries({ queryKey: keys.signInOptions }),
        client.invalidateQueries({ queryKey: keys.identities }),
      ]),
  });
}

export function useRemoveSignInProvider(provider: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/api/settings/sign-in-providers/{provider}", {
          params: { path: { provider } },
        }),
      ),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.signInProviders }),
        client.invalidateQueries({ queryKey: keys.signInOptions }),
        client.invalidateQueries({ queryKey: keys.identities }),
      ]),
  });
}

export function useTestSignInProvider(provider: string) {
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/api/settings/sign-in-providers/{provider}/test", {
          params: { path: { provider } },
        }),
      ),
  });
}
