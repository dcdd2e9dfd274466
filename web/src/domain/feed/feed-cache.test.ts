import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Build } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { event } from "@/testing/events";
import { createFeedCache, type FeedCache } from "./feed-cache";

const queued = {
  id: "b1",
  status: "queued",
  head_seq: 1,
  started_at: null,
  working_ms: 0,
  open_clarifications: [],
} as unknown as Build;
const running: Build = {
  ...queued,
  status: "running",
  head_seq: 10,
  started_at: "2026-11-21T20:00:00Z",
};

let client: QueryClient;
let cache: FeedCache;
let disconnect: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  cache = createFeedCache(client, "b1", "p1");
  disconnect = cache.connect();
});
afterEach(() => {
  disconnect();
  vi.useRealTimers();
});

const build = () => client.getQueryData<Build>(keys.build("b1"));
const show = (data: Build) => client.setQueryData(keys.build("b1"), data);
/** A query result for a request that was sent earlier. */
const answer = (data: Build) =>
  client.fetchQuery({ queryKey: keys.build("b1"), queryFn: async () => data, staleTime: 0 });

const asks = event(11, "build_clarification_request", { question_id: "q1", question: "JWT?" });
const settled = (question_id: string) => event(12, "build_clarification_resolved", { question_id });

describe("cached build", () => {
  it("is running if a worker started it before the feed opened", () => {
    show(queued);
    cache.open([event(1, "build_queued"), event(2, "build_started")]);
    expect(build()?.status).toBe("running");
  });

  it("is running if its response is older than the events that opened the feed", async () => {
    cache.open([event(1, "build_queued"), event(2, "build_started")]);
    await answer(queued);
    expect(build()?.status).toBe("running");
  });

  it("keeps response data that is newer than an event", () => {
    show({ ...running, status: "sealed", head_seq: 40 });
    cache.receive([event(38, "build_unpaused"), event(39, "build_sealing")]);
    expect(build()?.status).toBe("sealed");
  });

  it("keeps a question when an older response arrives after it", async () => {
    show(running);
    cache.receive([asks]);
    await answer(running);
    expect(build()).toMatchObject({
      status: "awaiting_input",
      open_clarifications: [{ id: "q1" }],
    });
    await answer({ ...running, head_seq: 12 });
    expect(build()).toMatchObject({ status: "running", open_clarifications: [] });
  });

  it("removes only the question that was resolved", () => {
    show(running);
    cache.receive([asks]);
    cache.receive([settled("other")]);
    expect(build()?.open_clarifications).toMatchObject([{ id: "q1", question: "JWT?" }]);
    cache.receive([settled("q1")]);
    expect(build()).toMatchObject({ status: "running", open_clarifications: [] });
  });

  it("waits until all questions of a reply are resolved", () => {
    show(running);
    const second = event(11, "build_clarification_request", { question_id: "q2", multiple: true });
    cache.receive([asks, { ...second, seq: 12 }]);
    expect(build()?.open_clarifications).toMatchObject([
      { id: "q1" },
      { id: "q2", multiple: true },
    ]);
    cache.receive([{ ...settled("q1"), seq: 13 }]);
    const open_clarifications = [{ id: "q2" }];
    expect(build()).toMatchObject({ status: "awaiting_input", open_clarifications });
    cache.receive([{ ...settled("q2"), seq: 14 }]);
    expect(build()).toMatchObject({ status: "running", open_clarifications: [] });
  });

  it("has no question deadline while paused, and the new one afterwards", () => {
    show(running);
    const expires_at = "2026-11-21T20:10:00Z";
    cache.receive([event(11, "build_clarification_request", { question_id: "q1", expires_at })]);
    cache.receive([event(12, "build_paused")]);
    expect(build()).toMatchObject({
      status: "paused",
      open_clarifications: [{ expires_at: null }],
    });
    const later = "2026-11-22T08:03:00Z";
    const question_expiries = [{ question_id: "q1", expires_at: later }];
    cache.receive([event(13, "build_unpaused", { question_expiries })]);
    const open_clarifications = [{ id: "q1", expires_at: later }];
    expect(build()).toMatchObject({ status: "awaiting_input", open_clarifications });
  });

  it("is not rewritten if a batch changes nothing", () => {
    show(running);
    const before = client.getQueryState(keys.build("b1"));
    const drawn = vi.fn();
    const stop = new QueryObserver(client, {
      queryKey: keys.build("b1"),
      enabled: false,
    }).subscribe(drawn);
    vi.advanceTimersByTime(5_000);
    cache.receive([event(11, "build_tool_call_started"), event(12, "build_log")]);
    vi.advanceTimersByTime(5_000);
    expect(client.getQueryState(keys.build("b1"))).toBe(before);
    expect(drawn).not.toHaveBeenCalled();
    stop();
  });

  it("keeps elapsed time when an event stops its clock", () => {
    show({ ...running, working_ms: 60_000 });
    vi.advanceTimersByTime(7_000);
    cache.receive([asks]);
    expect(build()?.working_ms).toBe(67_000);
    vi.advanceTimersByTime(7_000);
    cache.receive([settled("q1")]);
    expect(build()?.working_ms).toBe(67_000);
  });
});

describe("batch of events", () => {
  const KEYS = {
    build: keys.build("b1"),
    project: keys.project("p1"),
    "builds of the project": keys.projectBuilds("p1"),
    projects: keys.projects,
    usage: keys.usage("b1"),
    errors: keys.errors("b1"),
    commits: keys.commits("b1"),
    changes: keys.diffFiles("b1", null),
    questions: keys.questions("b1"),
    "open questions": keys.openQuestions,
    inbox: keys.inbox,
    answers: keys.answers("p1"),
    "review queue": keys.reviewQueue("open"),
    notepad: keys.notepad("p1"),
    settings: keys.settings("p1"),
    "another build": keys.build("b2"),
    "another build's errors": keys.errors("b2"),
    "another project": keys.project("p2"),
  };
  type Name = keyof typeof KEYS;
  const PROJECT: Name[] = ["project", "builds of the project", "projects", "inbox"];
  const QUESTIONS: Name[] = ["questions", "open questions", "answers"];

  function outdated(): Name[] {
    vi.advanceTimersByTime(2_000);
    return (Object.keys(KEYS) as Name[]).filter(
      (name) => client.getQueryState(KEYS[name])?.isInvalidated,
    );
  }
  beforeEach(() => {
    for (const key of Object.values(KEYS)) client.setQueryData(key, running);
  });

  it.each<[type: string, Name[]]>([
    ["build_started", ["build", ...PROJECT]],
    ["build_agent_turn", ["build", "usage"]],
    ["build_tool_call_started", []],
    ["build_tool_call_finished", []],
    ["build_file_changed", ["changes"]],
    ["build_commit_created", ["build", "commits", "changes"]],
    ["build_error_tracked", ["build", "errors"]],
    ["build_error_reopened", ["build", "errors"]],
    ["build_clarification_request", ["build", ...PROJECT, ...QUESTIONS]],
    ["build_blocked", ["build", ...PROJECT]],
    ["build_paused", ["build", ...PROJECT, ...QUESTIONS]],
    ["build_log", []],
    ["build_sealed", ["build", ...PROJECT, "errors", "commits", "changes", "review queue"]],
    ["build_something_new", ["build"]],
  ])("with %s makes outdated what it changes, and nothing else", (type, names) => {
    cache.receive([event(11, type)]);
    expect(outdated()).toEqual(
      (Object.keys(KEYS) as Name[]).filter((name) => names.includes(name)),
    );
  });

  it("refetches once for many events", () => {
    const refetch = vi.spyOn(client, "invalidateQueries");
    cache.receive([event(11, "build_agent_turn"), event(12, "build_agent_turn")]);
    vi.advanceTimersByTime(2_000);
    expect(refetch).toHaveBeenCalledTimes(3);
  });

  it("invalidates everything of the build when the feed is reset", () => {
    cache.open([event(10)]);
    expect(outdated()).toEqual([]);
    cache.open([event(500)]);
    expect(outdated()).toEqual(expect.arrayContaining(["build", "usage", "errors", ...QUESTIONS]));
  });
});
