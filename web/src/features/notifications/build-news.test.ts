import { describe, expect, it } from "vitest";
import type { InboxItem } from "@/lib/api";
import { changesSince, newInboxItems, shouldNotify, type WatchedBuild } from "./build-news";
import { type NotificationState, notificationState } from "./permission";

const build = (part: Partial<WatchedBuild>): WatchedBuild => ({
  id: "b1",
  number: 3,
  title: "Due dates",
  project_id: "p1",
  project_name: "Library",
  status: "running",
  verdict: null,
  open_questions: 0,
  blocked_text: null,
  isOwn: false,
  ...part,
});

const titles = (before: WatchedBuild[] | null, ...now: WatchedBuild[]) =>
  changesSince(before, now).map(({ title }) => title);

describe("news", () => {
  const running = [build({})];
  const asking = [build({ status: "awaiting_input", open_questions: 1 })];
  const sealed = build({ status: "sealed", verdict: "CERTIFIED" });

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
    expect(titles(running, build({ status: "blocked" }))).toEqual([
      "Library #3 Due dates is blocked",
    ]);
    expect(titles([sealed], sealed)).toEqual([]);
  });

  it("includes each of several builds of a project", () => {
    const second = { id: "b2", number: 4, title: "Fines" };
    const now = [sealed, build({ ...second, status: "sealed", verdict: "FLAGGED" })];
    expect(titles([...running, build(second)], ...now)).toEqual([
      "Library #3 Due dates is sealed: certified",
      "Library #4 Fines is sealed: flagged",
    ]);
  });

  it("excludes status changes made by users", () => {
    for (const status of ["paused", "abandoned", "queued"] as const)
      expect(titles(running, build({ status }))).toEqual([]);
  });

  it("leaves questions and blocks of own builds to the inbox", () => {
    const own = (part: Partial<WatchedBuild>) => build({ isOwn: true, ...part });
    expect(titles([own({})], own({ status: "blocked", open_questions: 1 }))).toEqual([]);
    const done = own({ status: "sealed", verdict: "FLAGGED" });
    expect(titles([own({})], done)).toEqual(["Library #3 Due dates is sealed: flagged"]);
  });

  it("excludes the state at page load, and old builds that appear in the list", () => {
    expect(changesSince(null, [sealed, ...asking])).toEqual([]);
    expect(titles([build({ id: "b2" })], build({ id: "b2" }), sealed)).toEqual([]);
  });

  it("includes a build that started and finished between two checks", () => {
    expect(titles([], sealed)).toEqual(["Library #3 Due dates is sealed: certified"]);
    const next = build({ id: "b2", status: "sealed", verdict: "FLAGGED" });
    expect(titles([sealed], sealed, next)).toEqual(["Library #3 Due dates is sealed: flagged"]);
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
