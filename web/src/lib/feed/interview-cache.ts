// Keeps the server cache true while a model answers a person.
import type { QueryClient } from "@tanstack/react-query";
import type { Generation, Interview } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";
import { keys } from "@/lib/query-keys";

/** Takes in what is known of the newest run that answers. */
export function takeAnswers(client: QueryClient, generation: Generation) {
  const key = keys.interview(generation.project_id);
  const before = client.getQueryData<Interview>(key);
  if (!before) return;
  const known = before.generation;
  // Something else has been said since.
  if (known && known.id !== generation.id && known.created_at > generation.created_at) return;
  // What is on its way is older than this.
  void client.cancelQueries({ queryKey: key });
  client.setQueryData<Interview>(key, { ...before, generation });
  // The answer comes as a message.
  if (!isUnderWay(generation)) client.invalidateQueries({ queryKey: key });
}
