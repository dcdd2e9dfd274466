import { afterEach, expect, it, vi } from "vitest";
import { requestEarly, takeEarly } from "./early-requests";

const of = (path: string, method = "GET") => new Request(`http://localhost${path}`, { method });
const slugOf = (id: string) => (id === "p1" ? "shelf" : id);

afterEach(() => {
  takeEarly(of("/api/session", "DELETE"), slugOf);
});

it("answers a request once, by the project's slug or id", async () => {
  const sent = vi.fn(async (path: string) => new Response(path));
  vi.stubGlobal("fetch", sent);
  void requestEarly("/api/projects/shelf/builds?limit=200");
  void requestEarly("/api/session");
  const taken = await takeEarly(of("/api/projects/p1/builds?limit=200"), slugOf);
  expect(await taken?.text()).toBe("/api/projects/shelf/builds?limit=200");
  expect(takeEarly(of("/api/projects/p1/builds?limit=200"), slugOf)).toBeUndefined();
  expect(takeEarly(of("/api/projects/p2"), slugOf)).toBeUndefined();
  expect(takeEarly(of("/api/session"), slugOf)).toBeDefined();
  expect(sent).toHaveBeenCalledTimes(2);
});

it("forgets answers that a change may have outdated", () => {
  vi.stubGlobal("fetch", async () => new Response());
  void requestEarly("/api/projects");
  takeEarly(of("/api/session", "POST"), slugOf);
  expect(takeEarly(of("/api/projects"), slugOf)).toBeUndefined();
});
