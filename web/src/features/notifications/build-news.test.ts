import { describe, expect, it } from "vitest";
import type { BuildSummary, Project } from "@/lib/api";
import { changesSince, shouldNotify } from "./build-news";
import { type NotificationState, notificationState } from "./permission";

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
  changesSince(before, now).map(({ title }) => title);

describe("news", () => {
  const running = [project({})];
  const asking = [project({ status: "awaiting_input", open_questions: 1 })];
  const sealed = project({ status: "sealed", verdict: "CERTIFIED" });

  it("includes a new question once", () => {
    expect(changesSince(running, asking)).toEqual([
      {
        key: "b1:question",
        title: "Question from Library",
        body: "The build is waiting for your answer.",
        path: "/projects/p1/builds/b1",
      },
    ]);
    expect(changesSince(asking, asking)).toEqual([]);
    expect(changesSince(asking, running)).toEqual([]);
  });

  it("includes a build that was sealed or blocked once", () => {
    expect(titles(running, sealed)).toEqual(["Library is sealed: certified"]);
    expect(titles(running, project({ status: "blocked" }))).toEqual(["Library is blocked"]);
    expect(titles([sealed], sealed)).toEqual([]);
  });

  it("excludes status changes made by users", () => {
    for (const status of ["paused", "abandoned", "queued"] as const)
      expect(titles(running, project({ status }))).toEqual([]);
  });

  it("excludes the state at page load", () => {
    expect(changesSince(null, [sealed, ...asking])).toEqual([]);
  });

  it("includes a build that started and finished between two checks", () => {
    expect(titles([project(null)], sealed)).toEqual(["Library is sealed: certified"]);
    const next = project({ id: "b2", status: "sealed", verdict: "FLAGGED" });
    expect(titles([sealed], next)).toEqual(["Library is sealed: flagged"]);
  });
});

describe("notifications", () => {
  it.each<[NotificationState, boolean, boolean]>([
    ["on", true, true],
    ["on", false, false],
    ["off", true, false],
    ["unasked", true, false],
    ["blocked", true, false],
    ["unsupported", true, false],
  ])("when notifications are %s and the tab's being hidden is %s: %s", (standing, hidden, may) => {
    expect(shouldNotify(standing, hidden)).toBe(may);
  });

  it.each([
    [{ supported: false, permission: "granted", choice: "on" }, "unsupported"],
    [{ supported: true, permission: "denied", choice: "on" }, "blocked"],
    [{ supported: true, permission: "granted", choice: null }, "unasked"],
    [{ supported: true, permission: "granted", choice: "on" }, "on"],
    [{ supported: true, permission: "granted", choice: "off" }, "off"],
    [{ supported: true, permission: "default", choice: "on" }, "off"],
  ] as const)("%j is %s", (known, standing) => {
    expect(notificationState(known)).toBe(standing);
  });
});
