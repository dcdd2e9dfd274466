import { expect, it } from "vitest";
import type { AuditAction, AuditEntry } from "@/lib/api";
import { auditWords } from "./audit-words";

const entry = (action: AuditAction, subject: string, detail: object) =>
  ({ seq: 1, action, subject, detail }) as AuditEntry;

it.each([
  ["user_created", { email: "a@b", role: "admin" }, "made the account a@b, an administrator"],
  ["user_role_changed", { email: "a@b", role: "user" }, "made a@b a user"],
  ["password_changed", { by: "invitation" }, "set a password by a link"],
  ["forge_key_created", { name: "laptop", of: "a@b" }, "made the forge key “laptop” of a@b"],
  ["viewer_added", { email: "a@b", project: "Till" }, "lets a@b look at Till"],
  ["follow_up_started", { project: "Lists" }, "started a follow-up build of Lists"],
  ["review_comment_resolved", { path: "a.js", line: 3 }, "settled the comments on a.js, line 3"],
] as const)("says what %s means", (action, detail, what) => {
  expect(auditWords(entry(action, "user/1", detail)).what).toBe(what);
});

it("leads from a decision to its build, with the reason", () => {
  const detail = { decision: "changes_requested", reason: "Not yet" };
  expect(auditWords(entry("review_decided", "build/b1", detail))).toEqual({
    what: "requested changes to a build",
    said: "Not yet",
    build: "b1",
  });
});
