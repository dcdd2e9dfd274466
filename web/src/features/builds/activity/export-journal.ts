// Exports the journal as NDJSON: one event per line, with the hashes that chain them.
import { fetchWithRefresh } from "@/lib/api";
import { ApiError } from "@/lib/api-error";

/** Reads the first `head` events: the journal of a running build does not end. */
export async function readJournal(build: string, head: number): Promise<Blob> {
  const enough = new AbortController();
  const response = await fetchWithRefresh(
    new Request(`${location.origin}/api/builds/${build}/events?after=0`, {
      headers: { accept: "application/x-ndjson" },
      signal: enough.signal,
    }),
  );
  if (!response.ok || !response.body)
    throw new ApiError({ title: response.statusText, status: response.status });
  const journal = await takeLines(response.body, head);
  enough.abort();
  return journal;
}

/** The first `head` events; other lines are skipped. */
export async function takeLines(body: ReadableStream<Uint8Array>, head: number): Promise<Blob> {
  const parts: string[] = [];
  let taken = 0;
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader();
  while (taken < head) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: string };
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    const events = lines.filter(isEvent).slice(0, head - taken);
    taken += events.length;
    if (events.length > 0) parts.push(`${events.join("\n")}\n`);
    if (done) break;
  }
  await reader.cancel().catch(() => {});
  return new Blob(parts, { type: "application/x-ndjson" });
}

function isEvent(line: string): boolean {
  try {
    return typeof JSON.parse(line).seq === "number";
  } catch {
    return false;
  }
}
