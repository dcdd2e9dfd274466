// Signing in with providers, and linking them to the account.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type SignInOption = Schemas["SignInOption"];

/** The providers on the sign-in page. */
export function useSignInOptions() {
  return useQuery({
    queryKey: keys.signInOptions,
    queryFn: async () => (await unwrap(api.GET("/api/sign-in"))).items,
  });
}

interface SignInStart {
  provider: string;
  returnTo?: string;
  /** The token of an invitation link. */
  invitation?: string;
}

/** Leaves the app for the provider's page. */
export function useSignInWith() {
  return useMutation({
    mutationFn: ({ provider, returnTo, invitation }: SignInStart) =>
      unwrap(
        api.POST("/api/sign-in/{provider}", {
          params: { path: { provider } },
          body: { return_to: returnTo ?? null, invitation: invitation ?? null },
        }),
      ),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

export function useIdentities() {
  return useQuery({
    queryKey: keys.identities,
    queryFn: () => unwrap(api.GET("/api/me/identities")),
  });
}

/** Leaves the app for the provider's page. */
export function useLinkIdentity() {
  return useMutation({
    mutationFn: (provider: string) =>
      unwrap(api.POST("/api/me/identities", { body: { provider } })),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

export function useUnlinkIdentity() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (identity: string) =>
      unwrap(api.DELETE("/api/me/identities/{identity}", { params: { path: { identity } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.identities }),
  });
}
