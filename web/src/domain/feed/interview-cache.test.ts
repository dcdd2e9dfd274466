import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { Interview } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { answering } from "@/testing/generations";
import { storeGeneration } from "./generation-cache";

const key = keys.interview("p1");

function cache(interview: Partial<Interview> = {}) {
  const client = new QueryClient();
  const held: Interview = { messages: [], available: true, generation: null, ...interview };
  client.setQueryData(key, held);
  client.setQueryData(keys.generation("p1"), null);
  return {
    client,
    held: () => client.getQueryData<Interview>(key),
    outdated: () => client.getQueryState(key)?.isInvalidated,
  };
}

it("stores a reply with the interview, apart from contract generations", () => {
  const { client, held, outdated } = cache({ generation: answering() });
  const next = answering({ answers: { ...answering().answers, version: 3 } as never });
  storeGeneration(client, next);
  expect(held()?.generation?.answers?.version).toBe(3);
  expect(outdated()).toBe(false);
  expect(client.getQueryData(keys.generation("p1"))).toBeNull();
});

it("refetches messages when the reply has finished", () => {
  const { client, outdated } = cache({ generation: answering() });
  storeGeneration(client, answering({ status: "done" }));
  expect(outdated()).toBe(true);
});

it("ignores an older reply, and does not create an interview", () => {
  const newer = answering({ id: "g2", created_at: "2026-11-21T21:00:00Z" });
  const { client, held } = cache({ generation: newer });
  storeGeneration(client, answering());
  expect(held()?.generation).toEqual(newer);
  const empty = new QueryClient();
  storeGeneration(empty, answering());
  expect(empty.getQueryData(key)).toBeUndefined();
});
