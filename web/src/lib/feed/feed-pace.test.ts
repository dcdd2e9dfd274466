import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPace } from "./feed-pace";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How long it takes until `flush` is called. */
function wait(pace: ReturnType<typeof createPace>, flush: () => void = () => {}): number {
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

it("draws with the next frame", () => {
  const pace = createPace();
  for (let n = 0; n < 3; n++) expect(wait(pace)).toBeLessThanOrEqual(17);
});

it("rests after drawing that took long, and not for ever", () => {
  const now = vi.spyOn(performance, "now");
  let busy = 0;
  const real = now.getMockImplementation() ?? (() => Date.now());
  now.mockImplementation(() => real() + busy);
  const take = (ms: number) => () => {
    busy += ms;
  };
  const pace = createPace();
  wait(pace, take(60));
  expect(wait(pace, take(2_000))).toBeGreaterThanOrEqual(120);
  const rest = wait(pace);
  expect(rest).toBeGreaterThanOrEqual(250);
  expect(rest).toBeLessThan(300);
  expect(wait(pace)).toBeLessThanOrEqual(17);
  now.mockRestore();
});

it("draws in a hidden tab too, where there are no frames", () => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
  expect(wait(createPace())).toBe(200);
  vi.unstubAllGlobals();
});
