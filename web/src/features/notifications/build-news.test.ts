import { describe, expect, it } from "vitest";
import type { BuildSummary, InboxItem, Project } from "@/lib/api";
import { changesSince, newInboxItems, shouldNotify } from "./build-news";
import { type NotificationState, notificationState } from "./permission";

const project = (build: Partial<BuildSummary> | null, id = "p1", role = "viewer") =>
  ({
    id,
    role,
    name: "Library",
    last_build: build && {
      id: "b1",
      number: 3,
      title: "Due dates",
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
        title: "Question from Library #3 Due dates",
        body: "It is waiting for an answer.",
        path: "/projects/p1/builds/3",
      },
    ]);
    expect(changesSince(asking, asking)).toEqual([]);
    expect(changesSince(asking, running)).toEqual([]);
  });

  it("includes a build that was sealed or blocked once", () => {
    expect(titles(running, sealed)).toEqual(["Library #3 Due dates is sealed: certified"]);
    expect(titles(running, project({ status: "blocked" }))).toEqual([
      "Library #3 Due dates is blocked",
    ]);
    expect(titles([sealed], sealed)).toEqual([]);
  });

  it("excludes status changes made by users", () => {
    for (const status of ["paused", "abandoned", "queued"] as const)
      expect(titles(running, project({ status }))).toEqual([]);
  });

  it("leaves questions and blocks of own builds to the inbox", () => {
    const own = (build: Partial<BuildSummary>) => project(build, "p1", "owner");
    const blocked = own({ status: "blocked", open_questions: 1 });
    expect(titles([own({})], blocked)).toEqual([]);
    const done = own({ status: "sealed", verdict: "FLAGGED" });
    expect(titles([own({})], done)).toEqual(["Library #3 Due dates is sealed: flagged"]);
  });

  it("excludes the state at page load", () => {
    expect(changesSince(null, [sealed, ...asking])).toEqual([]);
  });

  it("includes a build that started and finished between two checks", () => {
    expect(titles([project(null)], sealed)).toEqual(["Library #3 Due dates is sealed: certified"]);
    const next = project({ id: "b2", status: "sealed", verdict: "FLAGGED" });
    expect(titles([sealed], next)).toEqual(["Library #3 Due dates is sealed: flagged"]);
  });
});

describe("inbox news", () => {
  const item = (part: Partial<InboxItem>) =>
    ({
      key: "question/1",
      kind: "question",
      text: "How long?",
      decision: null,
      build_id: "b1",
      build_number: 3,
      build_title: "Due dates",
      project_id: "p1",
      project_name: "Library",
      read_at: null,
      ...part,
    }) as InboxItem;

  it.each<[Partial<InboxItem>, string, string]>([
    [{}, "Question from Library #3 Due dates", "/projects/p1/builds/3"],
    [{ kind: "plan" }, "Plan to approve: Library #3 Due dates", "/projects/p1/builds/3"],
    [{ kind: "blocked" }, "Library #3 Due dates is blocked", "/projects/p1/builds/3"],
    [{ kind: "review" }, "Library #3 Due dates is waiting for your review", "/reviews/b1"],
    [
      { kind: "review", decision: "approved" },
      "Library #3 Due dates was approved",
      "/projects/p1/builds/3?tab=seal",
    ],
    [
      { kind: "review", decision: "changes_requested" },
      "Changes were requested to Library #3 Due dates",
      "/projects/p1/builds/3?tab=seal",
    ],
  ])("with %j is %s", (part, title, path) => {
    expect(newInboxItems([], [item(part)])).toMatchObject([{ key: "question/1", title, path }]);
  });

  it("shows the server's words for the cause of a block", () => {
    const [news] = newInboxItems([], [item({ kind: "blocked", text: "No money." })]);
    expect(news?.body).toBe("No money.");
  });

  it("excludes items that were listed before, were read, or exist at page load", () => {
    expect(newInboxItems([item({})], [item({})])).toEqual([]);
    expect(newInboxItems([], [item({ read_at: "2026-01-01T00:00:00Z" })])).toEqual([]);
    expect(newInboxItems(null, [item({})])).toEqual([]);
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
