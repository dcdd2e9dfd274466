import { expect, it } from "vitest";
import { queryOf, readFilter } from "./audit-filter";

const read = (query: string) => readFilter(new URLSearchParams(query));

it("reads the filter in an address, and ignores what is invalid", () => {
  const actor = "0190b0a0-0000-7000-8000-000000000000";
  expect(read(`action=signed_in&actor=${actor}&from=2026-01-31`)).toEqual({
    action: "signed_in",
    actor,
    project: null,
    from: "2026-01-31",
    until: null,
  });
  expect(
    Object.values(read("action=nothing&actor=1&from=yesterday&until=")).every((it) => !it),
  ).toBe(true);
});

it("includes the whole of the last day", () => {
  const { from, until } = queryOf(read("from=2026-01-31&until=2026-01-31"));
  expect(from).toBe(new Date(2026, 0, 31).toISOString());
  expect(until).toBe(new Date(2026, 1, 1).toISOString());
  expect(queryOf(read("from=2026-13-99"))).toHaveProperty("from");
  expect(queryOf(read(""))).toEqual({});
});
