import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { keys } from "@/lib/query-keys";
import { generation } from "@/testing/generations";
import { storeGeneration } from "./generation-cache";

/** A cache with all queries about the contracts of a project. */
function cache() {
  const client = new QueryClient();
  const held = {
    list: keys.contracts("p1"),
    findings: keys.contractFindings("p1"),
    manifesto: keys.contract("p1", "manifesto"),
    blueprint: keys.contract("p1", "blueprint"),
    history: keys.contractVersions("p1", "blueprint"),
    runs: keys.generations("p1"),
  };
  for (const key of Object.values(held)) client.setQueryData(key, {});
  /** Returns and resets the invalidated queries. */
  const outdated = () => {
    const found = Object.entries(held).filter(
      ([, key]) => client.getQueryState(key)?.isInvalidated,
    );
    for (const [, key] of found) client.setQueryData(key, {});
    return found.map(([name]) => name);
  };
  return { client, outdated };
}

it("refetches a contract once it is written", () => {
  const { client, outdated } = cache();
  storeGeneration(client, generation(1));
  outdated();
  const next = generation(1);
  storeGeneration(client, { ...next, contracts: next.contracts.map((c) => ({ ...c, turn: 3 })) });
  expect(outdated()).toEqual([]);
  storeGeneration(client, generation(2));
  expect(outdated()).toEqual(["list", "findings", "blueprint", "history", "runs"]);
  expect(client.getQueryData(keys.generation("p1"))).toEqual(generation(2));
});

it("refetches once more when the generation has finished", () => {
  const { client, outdated } = cache();
  storeGeneration(client, generation(2));
  outdated();
  storeGeneration(client, generation(2, { status: "failed" }));
  expect(outdated()).toEqual(["list", "findings", "runs"]);
});

it("ignores an older generation", () => {
  const { client } = cache();
  const newer = generation(0, { id: "g2", created_at: "2026-11-21T21:00:00Z" });
  storeGeneration(client, newer);
  storeGeneration(client, generation(3));
  expect(client.getQueryData(keys.generation("p1"))).toEqual(newer);
});
