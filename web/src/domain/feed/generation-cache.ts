// Updates the query cache during a contract generation.
import type { QueryClient } from "@tanstack/react-query";
import type { Generation } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { generatedContracts, isRunning } from "../generation";
import { latestReply, storeReply } from "./interview-cache";

/** The latest generation of the same kind that the page knows. */
export function latestGeneration(
  client: QueryClient,
  { project_id, answers }: Generation,
): Generation | null {
  if (answers) return latestReply(client, project_id);
  return client.getQueryData<Generation | null>(keys.generation(project_id)) ?? null;
}

/** Stores the latest generation of a project. */
export function storeGeneration(client: QueryClient, generation: Generation) {
  if (generation.answers) return storeReply(client, generation);
  const key = keys.generation(generation.project_id);
  const before = client.getQueryData<Generation | null>(key) ?? null;
  // A newer generation has been started.
  if (before && before.id !== generation.id && before.created_at > generation.created_at) return;
  // Pending requests would return older data.
  void client.cancelQueries({ queryKey: key });
  client.setQueryData(key, generation);
  refetchWritten(client, before, generation);
}

/** Invalidates what changed between two states of the latest generation. */
export function refetchWritten(
  client: QueryClient,
  before: Generation | null,
  after: Generation | null,
) {
  if (!after) return;
  const { project_id: project } = after;
  const known = new Set(
    before?.id === after.id ? generatedContracts(before).map(({ type }) => type) : [],
  );
  const added = generatedContracts(after).filter(({ type }) => !known.has(type));
  const hasEnded = !isRunning(after) && before !== null && isRunning(before);
  for (const { type } of added) {
    client.invalidateQueries({ queryKey: keys.contract(project, type), exact: true });
    client.invalidateQueries({ queryKey: keys.contractVersions(project, type) });
  }
  if (added.length > 0 || hasEnded) {
    client.invalidateQueries({ queryKey: keys.contracts(project), exact: true });
    client.invalidateQueries({ queryKey: keys.contractFindings(project) });
  }
  if (added.length > 0 || hasEnded || before?.id !== after.id)
    client.invalidateQueries({ queryKey: keys.generations(project) });
}
