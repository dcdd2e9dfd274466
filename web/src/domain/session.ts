// The signed-in user, who is known before any page is shown.
import { useQueryClient } from "@tanstack/react-query";
import type { User } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export const useIsAdmin = (): boolean =>
  useQueryClient().getQueryData<User | null>(keys.session)?.role === "admin";
