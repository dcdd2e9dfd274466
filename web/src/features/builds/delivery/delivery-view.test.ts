import { describe, expect, it } from "vitest";
import type { BuildDelivery } from "@/lib/api";
import { checksText, remoteName, viewOf } from "./delivery-view";

type Delivery = NonNullable<BuildDelivery["delivery"]>;

const none = { attempts: 0, failure: null, next_attempt_at: null, note: null, pull_request: null };
const shown = (part: Partial<Delivery> | null, when: BuildDelivery["when"] = "on_request") =>
  viewOf({
    remote: { url: "https://forge/a/b", forge: "gitea" },
    when,
    branch: "forge/build-1",
    delivery: part && { ...none, state: "waiting", ...part },
    follow_up: null,
  });

describe("viewOf", () => {
  it("offers a request unless the project's settings exclude it", () => {
    expect(shown(null)).toMatchObject({ label: null, action: "Open pull request" });
    expect(shown(null, "never").action).toBeNull();
  });

  it("shows steps as progress and failures with a retry", () => {
    expect(shown({ state: "pushing" })).toMatchObject({ busy: true, action: null });
    expect(shown({ failure: "It is busy." })).toMatchObject({ busy: false, action: "Retry now" });
    expect(shown({ state: "no_pr" })).toMatchObject({ tone: "bad", action: "Retry" });
    expect(shown({ state: "failed" }, "never").action).toBeNull();
  });

  it("names the state of the pull request", () => {
    const pull = (state: "open" | "merged" | "closed", draft = false) => ({
      state: "delivered" as const,
      pull_request: {
        number: 1,
        url: "https://forge/a/b/pulls/1",
        state,
        draft,
        checks: { passed: 0, failed: 0, pending: 0 },
        comments: [],
        read_at: null,
      },
    });
    expect(shown(pull("open", true)).label).toBe("Draft");
    expect(shown(pull("merged", true))).toMatchObject({ label: "Merged", tone: "good" });
    expect(shown(pull("closed")).label).toBe("Closed without merging");
  });
});

it("counts checks", () => {
  expect(checksText({ passed: 2, failed: 1, pending: 0 })).toBe("2 passed, 1 failed");
  expect(checksText({ passed: 0, failed: 0, pending: 0 })).toBeNull();
});

it("shows remotes without scheme, user and suffix", () => {
  expect(remoteName("https://forge/a/b.git")).toBe("forge/a/b");
  expect(remoteName("ssh://git@forge:22/a/b.git")).toBe("forge:22/a/b");
  expect(remoteName("git@forge:a/b.git")).toBe("forge:a/b");
});
