// Updates the query cache while a model replies in an interview.
import type { QueryClient } from "@tanstack/react-query";
import type { Generation, Interview } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { isRunning } from "../generation";

export const latestReply = (client: QueryClient, project: string) =>
  client.getQueryData<Interview>(keys.interview(project))?.generation ?? null;

/** Stores the latest reply. */
export function storeReply(client: QueryClient, generation: Generation) {
  const key = keys.interview(generation.project_id);
  const before = client.getQueryData<Interview>(key);
  if (!before) return;
  const known = before.generation;
  // There is a newer message.
  if (known && known.id !== generation.id && known.created_at > generation.created_at) return;
  // Pending requests would return older data.
  void client.cancelQueries({ queryKey: key });
  client.setQueryData<Interview>(key, { ...before, generation });
  // The reply is a message of the interview.
  if (!isRunning(generation)) client.invalidateQueries({ queryKey: key });
}
