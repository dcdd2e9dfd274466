// The session, and signing in and out.
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, type User, unwrap } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { forgetSlugs } from "@/lib/paths";
import { keys } from "@/lib/query-keys";

/** The signed-in user, or null. */
export const sessionQuery = queryOptions<User | null>({
  queryKey: keys.session,
  queryFn: async () => {
    try {
      return (await unwrap(api.GET("/api/session"))).user;
    } catch (error) {
      if (isStatus(error, 401)) return null;
      throw error;
    }
  },
  staleTime: 5 * 60_000,
});

export const useSession = () => useQuery(sessionQuery);

export function useSetupState() {
  return useQuery({
    queryKey: keys.setup,
    queryFn: () => unwrap(api.GET("/api/setup")),
    staleTime: 0,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateSessionRequest"]) =>
      unwrap(api.POST("/api/session", { body })),
    onSuccess: ({ user }) => client.setQueryData(keys.session, user),
  });
}

/** Creates the first account; returns the project to open, if there is one. */
export function useCreateFirstAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas["SetupRequest"]) => {
      const { user } = await unwrap(api.POST("/api/setup", { body }));
      const projects = await unwrap(api.GET("/api/projects")).catch(() => null);
      const first =
        projects?.items.find((project) => project.origin === "demo") ?? projects?.items[0];
      return { user, landIn: first?.id ?? null };
    },
    onSuccess: ({ user }) => {
      client.setQueryData(keys.session, user);
      client.setQueryData(keys.setup, { needed: false });
    },
  });
}

/** Sets a password with a one-time link, and signs in. */
export function useAcceptInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["AcceptInvitationRequest"]) =>
      unwrap(api.POST("/api/invitation", { body })),
    onSuccess: ({ user }) => client.setQueryData(keys.session, user),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/session")),
    onSettled: () => {
      forgetSlugs();
      client.setQueryData(keys.session, null);
    },
  });
}
