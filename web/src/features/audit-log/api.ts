import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type AuditAction, api, unwrap } from "@/lib/api";
import { fetchAllPages } from "@/lib/fetch-all-pages";
import { keys } from "@/lib/query-keys";

export interface AuditQuery {
  action?: AuditAction;
  /** A user's id. */
  actor?: string;
  /** A project's id. */
  project?: string;
  /** Times: the end does not belong to the period. */
  from?: string;
  until?: string;
}

export function useAuditLog(filter: AuditQuery) {
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

/** All projects of the installation, also deleted ones. */
export function useAuditedProjects() {
  return useQuery({
    queryKey: keys.auditedProjects,
    queryFn: () =>
      fetchAllPages((query) => unwrap(api.GET("/api/audit-log/projects", { params: { query } }))),
  });
}

export const exportPath = (format: "csv" | "jsonl", filter: AuditQuery) =>
  `/api/audit-log/export?${new URLSearchParams({ format, ...filter })}`;
