// Describes entries of the audit log.
import type { AuditAction, AuditEntry } from "@/lib/api";

/** Labels of the filter options. */
export const ACTIONS: Record<AuditAction, string> = {
  setup_completed: "Installation set up",
  user_created: "User created",
  user_disabled: "User deactivated",
  user_enabled: "User reactivated",
  user_role_changed: "Role changed",
  user_invited: "Password link created",
  password_changed: "Password changed",
  forge_key_created: "Forge key created",
  forge_key_revoked: "Forge key revoked",
  viewer_added: "Viewer added",
  viewer_removed: "Viewer removed",
  review_decided: "Review submitted",
  approval_refused: "Approval rejected",
  review_commented: "Comment added",
  review_comment_resolved: "Thread resolved",
  follow_up_started: "Follow-up started",
  chain_started: "Hash chain started",
  installation_settings_changed: "Installation settings changed",
  seal_signed: "Seal signed",
  verification_failed: "Verification failed",
};

export interface AuditWords {
  /** The action. */
  what: string;
  /** The user's comment. */
  comment?: string;
  /** The build it refers to. */
  build?: string;
}

export function auditWords({ action, subject, detail }: AuditEntry): AuditWords {
  const text = (name: string) => {
    const value = (detail as Record<string, unknown>)[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const build = subject.startsWith("build/") ? subject.slice("build/".length) : undefined;
  const role = text("role") === "admin" ? "administrator" : "user";
  const line = `${text("path")}, line ${text("line")}`;
  switch (action) {
    case "setup_completed":
      return { what: `set up ForgeGuard with the account ${text("email")}` };
    case "user_created":
      return { what: `created the account ${text("email")} with the role ${role}` };
    case "user_disabled":
      return { what: `deactivated ${text("email")}` };
    case "user_enabled":
      return { what: `reactivated ${text("email")}` };
    case "user_role_changed":
      return { what: `changed the role of ${text("email")} to ${role}` };
    case "user_invited":
      return { what: `created a password link for ${text("email")}` };
    case "password_changed":
      return {
        what: text("by") === "invitation" ? "set a password with a link" : "changed their password",
      };
    case "forge_key_created":
      return { what: `created the forge key “${text("name")}” for ${text("of")}` };
    case "forge_key_revoked":
      return { what: `revoked a forge key of ${text("of")}` };
    case "viewer_added":
      return { what: `added ${text("email")} as a viewer of ${text("project")}` };
    case "viewer_removed":
      return { what: `removed ${text("email")} as a viewer of ${text("project")}` };
    case "review_decided": {
      const approved = text("decision") === "approved";
      const required = Number(text("required_approvals"));
      const count = required > 1 ? ` (${text("approvals")} of ${required} approvals)` : "";
      const what = approved ? `approved a build${count}` : "requested changes to a build";
      return { what, comment: text("reason"), build };
    }
    case "approval_refused":
      return {
        what: "tried to approve a build without permission",
        comment: text("reason"),
        build,
      };
    case "review_commented": {
      const what = text("answers") ? `replied on ${line}` : `commented on ${line}`;
      return { what, comment: text("text"), build };
    }
    case "review_comment_resolved":
      return { what: `resolved a thread on ${line}`, build };
    case "follow_up_started":
      return { what: `started a follow-up build of ${text("project")}`, build };
    case "chain_started":
      return { what: `added ${text("entries")} earlier entries to the hash chain` };
    case "installation_settings_changed":
      return { what: "changed the installation settings" };
    case "seal_signed":
      return { what: "signed the seal of a build", build };
    case "verification_failed":
      return { what: `found ${text("count")} problems while verifying a build`, build };
  }
}
