// Keeps the server cache true while a model writes: each new contract appears at once.
import type { QueryClient } from "@tanstack/react-query";
import type { Generation } from "@/lib/api";
import { isUnderWay, writtenOf } from "@/lib/generation";
import { keys } from "@/lib/query-keys";
import { takeAnswers } from "./interview-cache";

/** Takes in what is known of the newest run of a project. */
export function takeGeneration(client: QueryClient, generation: Generation) {
  if (generation.answers) return takeAnswers(client, generation);
  const key = keys.generation(generation.project_id);
  const before = client.getQueryData<Generation | null>(key) ?? null;
  // Somebody has started another one since.
  if (before && before.id !== generation.id && before.created_at > generation.created_at) return;
  // An answer that is on its way is older than this.
  void client.cancelQueries({ queryKey: key });
  client.setQueryData(key, generation);
  refetchWritten(client, before, generation);
}

/** Asks again for what has changed between two looks at a project's newest run. */
export function refetchWritten(
  client: QueryClient,
  before: Generation | null,
  after: Generation | null,
) {
  if (!after) return;
  const { project_id: project } = after;
  const known = new Set(before?.id === after.id ? writtenOf(before).map(({ type }) => type) : []);
  const fresh = writtenOf(after).filter(({ type }) => !known.has(type));
  const hasEnded = !isUnderWay(after) && before !== null && isUnderWay(before);
  for (const { type } of fresh) {
    client.invalidateQueries({ queryKey: keys.contract(project, type), exact: true });
    client.invalidateQueries({ queryKey: keys.contractVersions(project, type) });
  }
  if (fresh.length > 0 || hasEnded) {
    client.invalidateQueries({ queryKey: keys.contracts(project), exact: true });
    client.invalidateQueries({ queryKey: keys.contractFindings(project) });
  }
  if (fresh.length > 0 || hasEnded || before?.id !== after.id)
    client.invalidateQueries({ queryKey: keys.generations(project) });
}
