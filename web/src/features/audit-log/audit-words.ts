// An entry of the audit log as a sentence.
import type { AuditAction, AuditEntry } from "@/lib/api";

/** What can be asked for, in the words of the filter. */
export const ACTIONS: Record<AuditAction, string> = {
  setup_completed: "First start",
  user_created: "Account made",
  user_disabled: "Account shut",
  user_enabled: "Account opened again",
  user_role_changed: "Rights changed",
  user_invited: "Link to set a password made",
  password_changed: "Password changed",
  forge_key_created: "Forge key made",
  forge_key_revoked: "Forge key ended",
  viewer_added: "Project shown to somebody",
  viewer_removed: "Project shown no longer",
  review_decided: "Review decided",
  review_commented: "Line commented",
  review_comment_resolved: "Thread settled",
  follow_up_started: "Follow-up started",
};

export interface AuditWords {
  /** What was done. */
  what: string;
  /** What the person wrote with it. */
  said?: string;
  /** The build that it is about. */
  build?: string;
}

export function auditWords({ action, subject, detail }: AuditEntry): AuditWords {
  const text = (name: string) => {
    const value = (detail as Record<string, unknown>)[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const build = subject.startsWith("build/") ? subject.slice("build/".length) : undefined;
  const role = text("role") === "admin" ? "an administrator" : "a user";
  const line = `${text("path")}, line ${text("line")}`;
  switch (action) {
    case "setup_completed":
      return { what: `set ForgeGuard up with the first account, ${text("email")}` };
    case "user_created":
      return { what: `made the account ${text("email")}, ${role}` };
    case "user_disabled":
      return { what: `shut the account ${text("email")}` };
    case "user_enabled":
      return { what: `opened the account ${text("email")} again` };
    case "user_role_changed":
      return { what: `made ${text("email")} ${role}` };
    case "user_invited":
      return { what: `made a link by which ${text("email")} sets a password` };
    case "password_changed":
      return {
        what: text("by") === "invitation" ? "set a password by a link" : "changed their password",
      };
    case "forge_key_created":
      return { what: `made the forge key “${text("name")}” of ${text("of")}` };
    case "forge_key_revoked":
      return { what: `ended a forge key of ${text("of")}` };
    case "viewer_added":
      return { what: `lets ${text("email")} look at ${text("project")}` };
    case "viewer_removed":
      return { what: `lets ${text("email")} no longer look at ${text("project")}` };
    case "review_decided": {
      const approved = text("decision") === "approved";
      const what = approved ? "approved a build" : "requested changes to a build";
      return { what, said: text("reason"), build };
    }
    case "review_commented": {
      const what = text("answers") ? `answered on ${line}` : `commented on ${line}`;
      return { what, said: text("text"), build };
    }
    case "review_comment_resolved":
      return { what: `settled the comments on ${line}`, build };
    case "follow_up_started":
      return { what: `started a follow-up build of ${text("project")}`, build };
  }
}
