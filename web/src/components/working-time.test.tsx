import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WorkingTime } from "./working-time";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const START = Date.parse("2026-11-21T20:00:00Z");
const time = (ms: number, saidAt: number) => (
  <p>
    <WorkingTime ms={ms} fetchedAt={saidAt} running />
  </p>
);

it("does not go back when a response was delayed", () => {
  vi.setSystemTime(START);
  const { rerender } = render(time(60_000, START));
  act(() => vi.advanceTimersByTime(10_000));
  expect(screen.getByText("1m 10s")).toBeVisible();
  rerender(time(69_200, START + 10_000));
  expect(screen.getByText("1m 10s")).toBeVisible();
});

it("is corrected when the server reports much less", () => {
  vi.setSystemTime(START);
  const { rerender } = render(time(60_000, START));
  act(() => vi.advanceTimersByTime(50_000));
  rerender(time(65_000, START + 50_000));
  expect(screen.getByText("1m 05s")).toBeVisible();
});
