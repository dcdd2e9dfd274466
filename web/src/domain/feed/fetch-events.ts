import { api, unwrap } from "@/lib/api";
import type { FeedEvent } from "./event";
import type { PageRequest } from "./feed-store";

export async function fetchEvents(build: string, query: PageRequest): Promise<FeedEvent[]> {
  const page = await unwrap(
    api.GET("/api/builds/{build}/events", { params: { path: { build }, query } }),
  );
  return page.items as unknown as FeedEvent[];
}
