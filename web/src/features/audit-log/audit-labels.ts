// Describes entries of the audit log.
import type { AuditAction, AuditEntry } from "@/lib/api";
import { plural } from "@/lib/format";

/** Labels of the filter options. */
export const ACTIONS: Record<AuditAction, string> = {
  setup_completed: "Installation set up",
  signed_in: "Signed in",
  sign_in_failed: "Sign-in failed",
  signed_out: "Signed out",
  sessions_ended: "Sessions ended",
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
  project_renamed: "Project renamed",
  project_archived: "Project archived",
  project_unarchived: "Project unarchived",
  project_transferred: "Project transferred",
  project_deleted: "Project deleted",
  project_settings_changed: "Project settings changed",
  project_spec_submitted: "Spec submitted",
  build_started: "Build started",
  build_cancelled: "Build cancelled",
  permission_answered: "Permission answered",
  review_decided: "Review submitted",
  approval_refused: "Approval rejected",
  review_commented: "Comment added",
  review_comment_resolved: "Thread resolved",
  follow_up_started: "Follow-up started",
  chain_started: "Hash chain started",
  installation_settings_changed: "Installation settings changed",
  email_settings_changed: "Email settings changed",
  pull_request_requested: "Pull request requested",
  gate_rerun_requested: "Gate re-run requested",
  gate_rerun_finished: "Gate re-run finished",
  sign_in_provider_added: "Sign-in provider added",
  sign_in_provider_changed: "Sign-in provider changed",
  sign_in_provider_removed: "Sign-in provider removed",
  sign_in_provider_tested: "Sign-in provider tested",
  identity_linked: "Sign-in linked",
  identity_unlinked: "Sign-in unlinked",
  webhook_added: "Webhook added",
  webhook_changed: "Webhook changed",
  webhook_removed: "Webhook removed",
  provider_key_set: "Provider key set",
  provider_key_removed: "Provider key removed",
  provider_key_tested: "Provider key tested",
  credential_added: "Credential added",
  credential_removed: "Credential removed",
  remote_connected: "Repository connected",
  remote_changed: "Repository connection changed",
  remote_disconnected: "Repository disconnected",
  remote_tested: "Repository connection tested",
  seal_signed: "Seal signed",
  verification_failed: "Verification failed",
};

const SIGNED_IN: Record<string, string> = {
  password: "signed in",
  invitation: "signed in with a password link",
  setup: "signed in with the setup link",
  provider: "signed in with a provider",
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
    case "signed_in":
      return { what: SIGNED_IN[text("by")] ?? "signed in" };
    case "sign_in_failed": {
      if (text("provider")) {
        const reason = text("reason") || text("problem").replaceAll("-", " ");
        return { what: `failed to sign in with ${text("provider")}: ${reason}` };
      }
      const account = text("email") ? `the account ${text("email")}` : "an unknown account";
      const others = Number(text("unrecorded"));
      const count = others > 0 ? `; ${plural(others, "earlier attempt")} not listed` : "";
      return { what: `failed to sign in to ${account} from ${text("address")}${count}` };
    }
    case "signed_out":
      return { what: "signed out" };
    case "sessions_ended":
      return {
        what: text("session") ? "ended one of their sessions" : "ended their other sessions",
      };
    case "user_created":
      return text("provider")
        ? { what: `got the account ${text("email")} by signing in with ${text("provider")}` }
        : { what: `created the account ${text("email")} with the role ${role}` };
    case "user_disabled":
      return { what: `deactivated ${text("email")}` };
    case "user_enabled":
      return { what: `reactivated ${text("email")}` };
    case "user_role_changed":
      return { what: `changed the role of ${text("email")} to ${role}` };
    case "sign_in_provider_added":
      return { what: `added the sign-in provider ${text("name")}` };
    case "sign_in_provider_changed":
      return { what: `changed the sign-in provider ${text("name")}` };
    case "sign_in_provider_removed":
      return { what: `removed the sign-in provider ${text("name")}` };
    case "sign_in_provider_tested":
      return { what: `tested the sign-in provider ${text("name")}` };
    case "identity_linked":
      return { what: `linked the sign-in with ${text("provider")} to their account` };
    case "identity_unlinked":
      return { what: `unlinked the sign-in with ${text("provider")} from their account` };
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
    case "project_renamed":
      return { what: `renamed the project ${text("project")} to ${text("name")}` };
    case "project_archived":
      return { what: `archived the project ${text("project")}` };
    case "project_unarchived":
      return { what: `unarchived the project ${text("project")}` };
    case "project_transferred":
      return { what: `transferred the project ${text("project")} to ${text("email")}` };
    case "project_deleted":
      return { what: `deleted the project ${text("project")}` };
    case "project_settings_changed": {
      const changed = Object.keys((detail as { changed?: object }).changed ?? {});
      const names = changed.map((name) => name.replaceAll("_", " ")).join(", ");
      return { what: `changed the settings of ${text("project")}: ${names}` };
    }
    case "project_spec_submitted":
      return { what: `submitted version ${text("version")} of the spec of ${text("project")}` };
    case "build_started":
      return { what: `started the build ${text("project")} ${text("build")}` };
    case "build_cancelled": {
      const what = `cancelled the build ${text("project")} ${text("build")}`;
      return { what, comment: text("reason") };
    }
    case "permission_answered": {
      const answer = text("answer");
      const what = answer ? `answered “${answer}” to` : "let the agent decide about";
      return {
        what: `${what} a permission question of ${text("project")}`,
        comment: text("question"),
      };
    }
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
    case "email_settings_changed":
      return { what: "changed the email settings" };
    case "pull_request_requested":
      return {
        what: `requested the pull request of build #${text("build")} of ${text("project")}`,
      };
    case "gate_rerun_requested":
      return { what: "requested a re-run of the gates", build };
    case "gate_rerun_finished":
      return { what: "finished a re-run of the gates", build };
    case "webhook_added":
    case "webhook_changed":
    case "webhook_removed": {
      const verb = action.slice("webhook_".length);
      const of = text("project") ? ` of ${text("project")}` : "";
      return { what: `${verb} a webhook${of} to ${text("host")}` };
    }
    case "provider_key_set":
      return { what: `set the access to the model provider ${providerOf(subject)}` };
    case "provider_key_removed":
      return { what: `removed the key of the model provider ${providerOf(subject)}` };
    case "provider_key_tested": {
      const result = detail.succeeded ? "which replied" : "without success";
      return { what: `tested the model ${text("model")}, ${result}` };
    }
    case "credential_added":
    case "credential_removed": {
      const verb = action.slice("credential_".length);
      return { what: `${verb} the credential “${text("name")}” for ${text("host")}` };
    }
    case "remote_connected":
      return { what: `connected ${text("project")} with ${text("url")}` };
    case "remote_changed":
      return { what: `changed the repository connection of ${text("project")}` };
    case "remote_disconnected":
      return { what: `disconnected ${text("project")} from ${text("url")}` };
    case "remote_tested": {
      const result = detail.succeeded ? "successfully" : "without success";
      return { what: `tested the connection to ${text("url")} ${result}` };
    }
    case "seal_signed":
      return { what: "signed the seal of a build", build };
    case "verification_failed":
      return { what: `found ${text("count")} problems while verifying a build`, build };
  }
}

const providerOf = (subject: string) => subject.replace(/^provider\//, "");
