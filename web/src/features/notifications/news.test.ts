import { describe, expect, it } from "vitest";
import type { BuildSummary, Project } from "@/lib/api";
import { mayCall, newsSince } from "./news";
import { type Standing, standingOf } from "./standing";

const project = (build: Partial<BuildSummary> | null, id = "p1") =>
  ({
    id,
    name: "Library",
    last_build: build && {
      id: "b1",
      status: "running",
      verdict: null,
      open_questions: 0,
      ...build,
    },
  }) as Project;

const titles = (before: Project[] | null, ...now: Project[]) =>
  newsSince(before, now).map(({ title }) => title);

describe("news", () => {
  const running = [project({})];
  const asking = [project({ status: "awaiting_input", open_questions: 1 })];
  const sealed = project({ status: "sealed", verdict: "CERTIFIED" });

  it("is a question that opens, once", () => {
    expect(newsSince(running, asking)).toEqual([
      {
        key: "b1:question",
        title: "Library asks you something",
        body: "The build waits for your answer.",
        path: "/projects/p1/builds/b1",
      },
    ]);
    expect(newsSince(asking, asking)).toEqual([]);
    expect(newsSince(asking, running)).toEqual([]);
  });

  it("is a build that ends or stops, once", () => {
    expect(titles(running, sealed)).toEqual(["Library is sealed: certified"]);
    expect(titles(running, project({ status: "blocked" }))).toEqual(["Library is blocked"]);
    expect(titles([sealed], sealed)).toEqual([]);
  });

  it("is not what a person did", () => {
    for (const status of ["paused", "abandoned", "queued"] as const)
      expect(titles(running, project({ status }))).toEqual([]);
  });

  it("is not what was so when the page was opened", () => {
    expect(newsSince(null, [sealed, ...asking])).toEqual([]);
  });

  it("is also a build that began and ended between two looks", () => {
    expect(titles([project(null)], sealed)).toEqual(["Library is sealed: certified"]);
    const next = project({ id: "b2", status: "sealed", verdict: "FLAGGED" });
    expect(titles([sealed], next)).toEqual(["Library is sealed: flagged"]);
  });
});

describe("calling someone back", () => {
  it.each<[Standing, boolean, boolean]>([
    ["on", true, true],
    ["on", false, false],
    ["off", true, false],
    ["unasked", true, false],
    ["blocked", true, false],
    ["unsupported", true, false],
  ])("when notifications are %s and the tab's being hidden is %s: %s", (standing, hidden, may) => {
    expect(mayCall(standing, hidden)).toBe(may);
  });

  it.each([
    [{ supported: false, permission: "granted", choice: "on" }, "unsupported"],
    [{ supported: true, permission: "denied", choice: "on" }, "blocked"],
    [{ supported: true, permission: "granted", choice: null }, "unasked"],
    [{ supported: true, permission: "granted", choice: "on" }, "on"],
    [{ supported: true, permission: "granted", choice: "off" }, "off"],
    [{ supported: true, permission: "default", choice: "on" }, "off"],
  ] as const)("%j is %s", (known, standing) => {
    expect(standingOf(known)).toBe(standing);
  });
});
