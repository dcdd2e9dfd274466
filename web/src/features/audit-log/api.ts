import { useInfiniteQuery } from "@tanstack/react-query";
import { type AuditAction, api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export interface AuditFilter {
  action?: AuditAction;
  /** A user's id. */
  actor?: string;
}

export function useAuditLog(filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: keys.auditLog(filter),
    queryFn: ({ pageParam }) => {
      const query = { ...filter, ...(pageParam && { after: pageParam }) };
      return unwrap(api.GET("/api/audit-log", { params: { query } }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
}
