import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Generation } from "@/lib/api";
import { ApiError } from "@/lib/api-error";
import { generation } from "@/testing/generations";
import { followGeneration } from "./generation-stream";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream whose server the test plays. */
function follow(fetch: () => Promise<Generation> = async () => generation(2)) {
  const sources: (EventTarget & { close: () => void; closed: boolean })[] = [];
  const taken: Generation[] = [];
  const links: boolean[] = [];
  const leave = followGeneration({
    open() {
      const source = Object.assign(new EventTarget(), {
        closed: false,
        close() {
          source.closed = true;
        },
      });
      sources.push(source);
      return source as never;
    },
    fetch,
    take: (each) => taken.push(each),
    onLink: (live) => links.push(live),
  });
  const say = (each: Generation) =>
    sources.at(-1)?.dispatchEvent(new MessageEvent("generation", { data: JSON.stringify(each) }));
  const breakOff = () => sources.at(-1)?.dispatchEvent(new Event("error"));
  return { sources, taken, links, leave, say, breakOff };
}

it("follows the stream until the generation has finished", async () => {
  const { sources, taken, say, breakOff } = follow();
  say(generation(0));
  say(generation(9, { status: "done" }));
  expect(taken.map(({ status }) => status)).toEqual(["running", "done"]);
  expect(sources[0]?.closed).toBe(true);
  breakOff();
  await vi.runAllTimersAsync();
  expect(sources).toHaveLength(1);
});

it("fetches the state before reconnecting", async () => {
  const { sources, taken, links, say, breakOff } = follow();
  say(generation(0));
  breakOff();
  expect(links).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(300);
  expect(taken.at(-1)).toEqual(generation(2));
  expect(sources).toHaveLength(2);
  say(generation(3));
  expect(links.at(-1)).toBe(true);
  expect(taken.at(-1)).toEqual(generation(3));
});

it("retries with increasing delays while the server does not respond", async () => {
  let tries = 0;
  const { sources, breakOff } = follow(async () => {
    tries += 1;
    throw new TypeError("Failed to fetch");
  });
  breakOff();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBeGreaterThan(8);
  expect(tries).toBeLessThan(20);
  expect(sources).toHaveLength(1);
});

it.each([
  ["the run is gone", async () => Promise.reject(new ApiError({ status: 404 }))],
  ["it has ended meanwhile", async () => generation(9, { status: "done" })],
])("stops where %s", async (_, fetch) => {
  const { sources, links, breakOff } = follow(fetch);
  breakOff();
  await vi.runAllTimersAsync();
  expect(sources).toHaveLength(1);
  expect(links.at(-1)).toBe(true);
});

it("does nothing after it was stopped", async () => {
  const { sources, taken, leave, say, breakOff } = follow();
  breakOff();
  leave();
  await vi.runAllTimersAsync();
  say(generation(1));
  expect(taken).toEqual([]);
  expect(sources).toHaveLength(1);
});
