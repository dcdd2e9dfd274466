// What is waiting for the user, in all projects.
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

/** How often the inbox is refetched, in addition to what the feed of an open build reports. */
const LOOK_EVERY_MS = 15_000;

const inbox = infiniteQueryOptions({
  queryKey: keys.inbox,
  queryFn: ({ pageParam }) => {
    const query = pageParam ? { after: pageParam } : {};
    return unwrap(api.GET("/api/inbox", { params: { query } }));
  },
  initialPageParam: "",
  getNextPageParam: (page) => page.next || undefined,
  refetchInterval: LOOK_EVERY_MS,
  // In hidden tabs too, for browser notifications.
  refetchIntervalInBackground: true,
});

/** All items, page by page. */
export const useInbox = () => useInfiniteQuery(inbox);

/** The newest items and the counts, as in the list. */
export const useInboxNews = (enabled = true) =>
  useInfiniteQuery({ ...inbox, enabled, select: ({ pages }) => pages[0] });

/** Marks items as read or unread; without `items`, all as read. */
export function useMarkInbox() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["MarkInboxRequest"]) =>
      unwrap(api.POST("/api/inbox/read", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.inbox }),
  });
}
