import { expect, it } from "vitest";
import type { AuditAction, AuditEntry } from "@/lib/api";
import { auditWords } from "./audit-labels";

const entry = (action: AuditAction, subject: string, detail: object) =>
  ({ seq: 1, action, subject, detail }) as AuditEntry;

it.each([
  [
    "user_created",
    { email: "a@b", role: "admin" },
    "created the account a@b with the role administrator",
  ],
  ["user_role_changed", { email: "a@b", role: "user" }, "changed the role of a@b to user"],
  ["signed_in", { by: "invitation" }, "signed in with a password link"],
  [
    "sign_in_failed",
    { email: null, address: "192.0.2.1", unrecorded: 3 },
    "failed to sign in to an unknown account from 192.0.2.1; 3 earlier attempts not listed",
  ],
  [
    "project_settings_changed",
    { project: "Till", changed: { gates: [], plan_approval: "never" } },
    "changed the settings of Till: gates, plan approval",
  ],
  [
    "permission_answered",
    { project: "Till", answer: null },
    "let the agent decide about a permission question of Till",
  ],
  ["password_changed", { by: "invitation" }, "set a password with a link"],
  ["forge_key_created", { name: "laptop", of: "a@b" }, "created the forge key “laptop” for a@b"],
  ["viewer_added", { email: "a@b", project: "Till" }, "added a@b as a viewer of Till"],
  ["follow_up_started", { project: "Lists" }, "started a follow-up build of Lists"],
  ["chain_started", { entries: 7 }, "added 7 earlier entries to the hash chain"],
  ["seal_signed", {}, "signed the seal of a build"],
  ["verification_failed", { count: 2 }, "found 2 problems while verifying a build"],
  ["review_comment_resolved", { path: "a.js", line: 3 }, "resolved a thread on a.js, line 3"],
] as const)("says what %s means", (action, detail, what) => {
  expect(auditWords(entry(action, "user/1", detail)).what).toBe(what);
});

it("includes the comment and the build of a decision", () => {
  const detail = { decision: "changes_requested", reason: "Not yet" };
  expect(auditWords(entry("review_decided", "build/b1", detail))).toEqual({
    what: "requested changes to a build",
    comment: "Not yet",
    build: "b1",
  });
});
