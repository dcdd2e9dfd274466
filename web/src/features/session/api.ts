// Who is signed in, and how that changes.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, type User, unwrap } from "@/lib/api";
import { isStatus } from "@/lib/problem";
import { keys } from "@/lib/query-keys";

/** The signed-in user, or null when nobody is. */
export function useSession() {
  return useQuery<User | null>({
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
}

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

/** Creates the first account; answers with the project to land in, where there is one. */
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

/** Sets a password by a one-time link, and signs in. */
export function useAcceptInvitation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["AcceptInvitationRequest"]) =>
      unwrap(api.POST("/api/invitation", { body })),
    onSuccess: ({ user }) => {
      client.clear();
      client.setQueryData(keys.session, user);
    },
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/session")),
    onSettled: () => {
      // The session's query stays: the page watches it, and leaves when it says that nobody is here.
      client.setQueryData(keys.session, null);
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.session[0] });
    },
  });
}
