import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFlushScheduler } from "./flush-scheduler";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The time until `flush` is called. */
function wait(pace: ReturnType<typeof createFlushScheduler>, flush: () => void = () => {}): number {
  const begun = performance.now();
  let took = -1;
  pace(() => {
    took = performance.now() - begun;
    flush();
  });
  while (took < 0) vi.advanceTimersToNextTimer();
  vi.advanceTimersByTime(1);
  return took;
}

it("flushes with the next frame", () => {
  const pace = createFlushScheduler();
  for (let n = 0; n < 3; n++) expect(wait(pace)).toBeLessThanOrEqual(17);
});

it("pauses after slow rendering, for a limited time", () => {
  const now = vi.spyOn(performance, "now");
  let busy = 0;
  const real = now.getMockImplementation() ?? (() => Date.now());
  now.mockImplementation(() => real() + busy);
  const take = (ms: number) => () => {
    busy += ms;
  };
  const pace = createFlushScheduler();
  wait(pace, take(60));
  expect(wait(pace, take(2_000))).toBeGreaterThanOrEqual(120);
  const rest = wait(pace);
  expect(rest).toBeGreaterThanOrEqual(250);
  expect(rest).toBeLessThan(300);
  expect(wait(pace)).toBeLessThanOrEqual(17);
  now.mockRestore();
});

it("flushes in a hidden tab, which has no frames", () => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
  expect(wait(createFlushScheduler())).toBe(200);
  vi.unstubAllGlobals();
});
