import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { LazyRows } from "./lazy-rows";

type Report = (entries: Pick<IntersectionObserverEntry, "isIntersecting">[]) => void;

/** The callbacks of observers, which browsers call after the next frame. */
function observed(): Set<Report> {
  const reports = new Set<Report>();
  class Observer {
    constructor(private readonly report: Report) {}
    observe = () => void reports.add(this.report);
    disconnect = () => void reports.delete(this.report);
  }
  vi.stubGlobal("IntersectionObserver", Observer);
  return reports;
}

afterEach(() => vi.unstubAllGlobals());

const rows = (always: boolean) => (
  <LazyRows count={30} always={always}>
    {() => <p>a line</p>}
  </LazyRows>
);

it("keeps rows near the visible part when another chunk gets the marked line", () => {
  const reports = observed();
  const { rerender } = render(rows(true));
  act(() => {
    for (const report of reports) report([{ isIntersecting: true }]);
  });
  rerender(rows(false));
  expect(screen.getByText("a line")).toBeVisible();
  act(() => {
    for (const report of reports) report([{ isIntersecting: false }]);
  });
  expect(screen.queryByText("a line")).not.toBeInTheDocument();
  rerender(rows(true));
  expect(screen.getByText("a line")).toBeVisible();
});
