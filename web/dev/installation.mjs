// The account and the administrator's pages: settings, email, webhooks, users, and the audit log.

import { missing } from "./contract-routes.mjs";

const now = () => new Date().toISOString();
const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const list = (items) => ({ items, next: null });
const DEFAULT_BUDGETS = { iterations: 8, clarifications: 5, permission_prompts: 20, doom_loop: 3 };
const ROLES = [null, "scout", "coder", "auditor", "fixer"];
const KINDS = ["question", "plan", "blocked", "review"];

/** What a build of a project would start with: nothing prevents it. */
export const readiness = {
  budgets: DEFAULT_BUDGETS,
  installation_budgets: DEFAULT_BUDGETS,
  installation_limits: {},
  project_limits: {},
  needs_limit: false,
  suggested_usd_micros: null,
  estimate: null,
  plan_approval: "never",
  model: "scripted/demo",
  models: [],
  phases: [],
  obstacles: [],
  warnings: [],
};

/** Permission rules that apply to all projects. */
export const permissionRules = {
  built_in: [
    { permission: "read", pattern: "*", action: "allow" },
    { permission: "bash", pattern: "*", action: "allow" },
  ],
  installation: [{ permission: "bash", pattern: "curl *", action: "ask" }],
};

export class MockInstallation {
  constructor({ user, projects }) {
    this.user = { ...user, created_at: ago(90_000), disabled_at: null };
    this.projects = projects;
    this.settings = { budgets: {}, models: {} };
    this.server = {
      host: "smtp.example.org",
      port: 587,
      tls: "starttls",
      user: "forge",
      from: "ForgeGuard <forge@example.org>",
    };
    this.emailKinds = ["question", "review"];
    this.signInProviders = [];
    /** By project; that of the installation under null. */
    this.webhooks = new Map();
    const added = this.addWebhook(null, {
      url: "https://hooks.example.org/services/T0427/B93/a-channel-about-builds",
      kinds: KINDS,
    });
    added.failing_since = ago(200);
  }

  addWebhook(project, { url, kinds }) {
    const times = { created_at: now(), failing_since: null, disabled_at: null };
    const webhook = { id: crypto.randomUUID(), url, kinds, ...times };
    this.webhooks.set(project, [...(this.webhooks.get(project) ?? []), webhook]);
    return webhook;
  }

  /** The webhooks of a project, or of the installation. */
  webhookRoute(method, project, [id, what, delivery], body) {
    const all = this.webhooks.get(project) ?? [];
    if (!id && method === "POST") {
      const webhook = this.addWebhook(project, body);
      return { status: 201, body: { webhook, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" } };
    }
    if (!id) return { body: list(all) };
    const found = all.find((webhook) => webhook.id === id);
    if (!found) return missing;
    if (delivery) return { status: 202 };
    if (what) return { body: list(found.failing_since ? [failedDelivery()] : []) };
    if (method === "PATCH") {
      Object.assign(found, body, { failing_since: null, disabled_at: null });
      return { body: found };
    }
    this.webhooks.set(
      project,
      all.filter((webhook) => webhook !== found),
    );
    return { status: 204 };
  }

  settingsRoute(method, [area, ...rest], body) {
    if (area === "webhooks") return this.webhookRoute(method, null, rest, body);
    if (area === "sign-in-providers") return this.signInProviderRoute(method, rest, body);
    if (area === "provider-keys") return { body: list(["anthropic", "openai"].map(providerKey)) };
    if (area === "email" && rest[0]) return { body: { to: this.user.email, failure: null } };
    if (area === "email") {
      if (method === "DELETE") this.server = null;
      if (method === "PUT") this.server = { user: null, ...body, password: undefined };
      return { body: { server: this.server, has_password: this.server !== null } };
    }
    if (method === "PUT") this.settings = body;
    const models = ROLES.map((role) => {
      const chosen = this.settings.models[role ?? "default"] || null;
      return { role, chosen, fixed_by: null, in_use: chosen ?? "anthropic/claude-sonnet-5-5" };
    });
    return {
      body: { budgets: this.settings.budgets, default_budgets: DEFAULT_BUDGETS, models },
    };
  }

  signInProviderRoute(method, [id, what], body) {
    if (what) return { body: { problem: null } };
    if (method === "POST" && !id) {
      const added = { ...body, client_secret: undefined, linked_accounts: 0, created_at: now() };
      this.signInProviders.push({ ...added, id: crypto.randomUUID() });
      return { status: 201, body: this.signInProviders.at(-1) };
    }
    if (!id) {
      const redirect_url = "https://forge.example.org/api/sign-in/callback";
      return { body: { items: this.signInProviders, redirect_url } };
    }
    const found = this.signInProviders.find((provider) => provider.id === id);
    if (!found) return missing;
    if (method === "DELETE") {
      this.signInProviders = this.signInProviders.filter((provider) => provider !== found);
      return { status: 204 };
    }
    return { body: Object.assign(found, body, { client_secret: undefined }) };
  }

  /** The providers on the sign-in page. */
  signInOptions() {
    return this.signInProviders
      .filter(({ enabled }) => enabled)
      .map(({ id, name, kind }) => ({ id, name, kind }));
  }

  meRoute(method, [what], body) {
    if (what === "identities") {
      const providers = this.signInOptions();
      return { body: { items: [], has_password: true, providers } };
    }
    if (what !== "email-notifications") return { status: 204 };
    if (method === "PUT") this.emailKinds = body.kinds;
    return { body: { kinds: this.emailKinds, available: this.server !== null } };
  }

  sessions() {
    const user_agent =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
    const times = { created_at: ago(300), last_used_at: now() };
    return { body: list([{ id: crypto.randomUUID(), user_agent, ...times, current: true }]) };
  }

  auditRoute([what], query) {
    if (what === "projects")
      return { body: list(this.projects.map(({ id, name }) => ({ id, name }))) };
    const entries = this.auditEntries().filter(
      ({ action, actor_id, at }) =>
        (!query.get("action") || action === query.get("action")) &&
        (!query.get("actor") || actor_id === query.get("actor")) &&
        (!query.get("from") || at >= query.get("from")) &&
        (!query.get("until") || at < query.get("until")),
    );
    return { body: list(entries) };
  }

  auditEntries() {
    const { id, name, email } = this.user;
    const repository = "https://codeberg.org/ada/invoices.git";
    const project = "Invoice importer";
    const system = { actor_id: null, actor_name: "forge" };
    return [
      { action: "seal_signed", ...system },
      { action: "remote_tested", detail: { url: repository, succeeded: true } },
      {
        action: "credential_added",
        detail: { name: "Token for codeberg.org", host: "codeberg.org" },
      },
      { action: "remote_connected", detail: { project, url: repository } },
      {
        action: "project_settings_changed",
        detail: { project, changed: { gates: [], delivery: {} } },
      },
      { action: "email_settings_changed" },
      {
        action: "sign_in_failed",
        ...system,
        detail: { email, address: "192.0.2.17", unrecorded: 4 },
      },
      { action: "signed_in", detail: { by: "password" } },
      { action: "setup_completed", detail: { email } },
    ].map((entry, index, all) => ({
      seq: all.length - index,
      at: ago(index * 47),
      actor_id: id,
      actor_name: name,
      subject: "installation/0198cccc-0000-7000-8000-000000000001",
      detail: {},
      ...entry,
    }));
  }
}

const providerKey = (provider) => ({
  provider,
  fixed_by: null,
  is_set: provider === "anthropic",
  last_four: provider === "anthropic" ? "x4Qf" : null,
  base_url: null,
  set_at: provider === "anthropic" ? ago(50_000) : null,
  set_by: provider === "anthropic" ? "Ada Lovelace" : null,
  problem: null,
  default_model: provider === "anthropic" ? "claude-sonnet-5-5" : "gpt-6.1-sol",
});

const failedDelivery = () => ({
  id: crypto.randomUUID(),
  title: "Invoice importer: build #2 needs a review",
  status: "failed",
  attempts: 3,
  attempted_at: ago(20),
  next_attempt_at: ago(-40),
  failure: "The receiver replied with the status 503.",
  created_at: ago(200),
});
