// Accounts of all users, for administrators.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";

export function useUsers() {
  return useQuery({
    queryKey: keys.users,
    queryFn: () => fetchAllPages((query) => unwrap(api.GET("/api/users", { params: { query } }))),
  });
}

export function useCreateUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateUserRequest"]) => unwrap(api.POST("/api/users", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.users }),
  });
}

export function useUpdateUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: Schemas["UpdateUserRequest"] & { id: string }) =>
      unwrap(api.PATCH("/api/users/{user}", { params: { path: { user: id } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.users }),
  });
}

export function useInvite() {
  return useMutation({
    mutationFn: ({ user, ...body }: Schemas["InviteUserRequest"] & { user: string }) =>
      unwrap(api.POST("/api/users/{user}/invitation", { params: { path: { user } }, body })),
  });
}
