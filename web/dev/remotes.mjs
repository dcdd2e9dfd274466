// Repositories on other servers: credentials, connections, and fetches, of which each look shows
// the next step. Repositories with "missing" in their address are not found.

import { missing, problem } from "./contract-routes.mjs";

const KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk1m0vD2cXh0q7ZrJ8yqk1mV5d8c4o2tq6wYb3nR9sE forgeguard";
const id = () => crypto.randomUUID();
const now = () => new Date().toISOString();
const daysAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
const forgeOf = (host) =>
  host === "github.com"
    ? "github"
    : host.startsWith("gitlab.")
      ? "gitlab"
      : host === "codeberg.org"
        ? "gitea"
        : "other";
const hostOf = (text) =>
  text
    .replace(/^\w+:\/\//, "")
    .match(/^(?:[^@/]*@)?([^/]*)/)[1]
    .replace(/:\D.*$/, "");
const STEPS = [
  { status: "queued", progress: null },
  { status: "running", progress: { stage: "receiving", percent: 40, bytes: 3_200_000 } },
  { status: "running", progress: { stage: "receiving", percent: 90, bytes: 7_400_000 } },
  { status: "running", progress: { stage: "updating", percent: null, bytes: 8_100_000 } },
];

export class MockRemotes {
  /** @param connected The id of a project that has a remote. */
  constructor(connected) {
    const given = (scope, name, host, kind, extra) => ({
      ...credential({ scope, name, host, kind, project: null }),
      created_at: daysAgo(40),
      ...extra,
    });
    this.credentials = [
      given("installation", "Build server of the team", "git.example.org", "token", {
        username: "forgeguard",
        last_used_at: daysAgo(2),
      }),
      given("user", "Token for github.com", "github.com", "token", {
        username: "x-access-token",
        last_used_at: daysAgo(1),
      }),
      given("user", "Deploy key for codeberg.org", "codeberg.org", "ssh_key", {}),
      given("project", "Token for codeberg.org", "codeberg.org", "token", {
        project: connected,
        username: "git",
        last_used_at: daysAgo(0.1),
      }),
    ];
    this.remotes = new Map([
      [
        connected,
        {
          ...remote("https://codeberg.org/ada/invoices.git", this.credentials.at(-1).id),
          default_branch: "main",
          fetched_at: daysAgo(0.1),
          findings: { branches: 3, tags: 2, submodules: [], lfs_files: [], diverged: [] },
        },
      ],
    ]);
    this.steps = new Map();
  }

  credentialRoute(method, [ref], body) {
    if (method === "POST") {
      if (body.kind === "token" && /\s/.test(body.token ?? "")) {
        const fields = { token: "must not contain spaces or characters outside ASCII" };
        return { status: 422, body: { status: 422, title: "Invalid", detail: "", fields } };
      }
      this.credentials.push(credential(body));
      return { status: 201, body: this.credentials.at(-1) };
    }
    if (method !== "DELETE") return { body: { items: this.credentials, next: null } };
    if (!this.credentials.some((one) => one.id === ref)) return missing;
    this.credentials = this.credentials.filter((one) => one.id !== ref);
    for (const one of this.remotes.values()) if (one.credential === ref) one.credential = null;
    return { status: 204 };
  }

  test({ url }) {
    const found = { problem: null, default_branch: "main", branches: 3 };
    const message = `${hostOf(url)} answered: the default branch is main, and there are 3 branches.`;
    return { body: url.includes("missing") ? absent : { ...found, message } };
  }

  import(project, { url, credential: chosen }) {
    this.remotes.set(project, remote(url, chosen ?? null));
    this.begin(project, "import");
  }

  /** A route below `/api/projects/{project}/remote`. */
  projectRoute(method, project, [what], body) {
    const found = this.remotes.get(project);
    if (what === undefined && method === "GET") return { body: { remote: this.look(project) } };
    if (!found) return missing;
    if (what === "hook-secret") {
      found.accepts_hooks = true;
      const secret = "6f1c0d7e2b9a4385f0c1d2e3a4b59687";
      return { status: 201, body: { path: `/api/hooks/${project}`, secret } };
    }
    if (what === "fetch" && method === "DELETE") {
      this.steps.delete(project);
      Object.assign(found.fetch, { status: "cancelled", finished_at: now() });
      return { status: 202, body: found.fetch };
    }
    if (what === "fetch") {
      if (this.steps.has(project)) return problem(409, "Not now", "A fetch is already running.");
      return { status: 202, body: this.begin(project, "fetch") };
    }
    if (method === "DELETE") {
      this.remotes.delete(project);
      return { status: 204 };
    }
    return { body: Object.assign(found, body) };
  }

  begin(project, kind) {
    const found = this.remotes.get(project);
    const none = { cancel_requested: false, problem: null, failure: null, finished_at: null };
    found.fetch = { id: id(), kind, ...STEPS[0], ...none, created_at: now() };
    this.steps.set(project, STEPS.slice(1));
    return found.fetch;
  }

  look(project) {
    const found = this.remotes.get(project);
    if (!found) return null;
    const steps = this.steps.get(project);
    const next = steps?.shift();
    if (next) Object.assign(found.fetch, next);
    else if (steps) {
      this.steps.delete(project);
      const fetched = { default_branch: "main", fetched_at: now(), fetch_error: null };
      Object.assign(found.fetch, { status: "done", progress: null, finished_at: now() });
      Object.assign(found, fetched);
    }
    return found;
  }
}

const absent = {
  problem: "not_found",
  message:
    "The server has no such repository, or it is not visible with this credential. Check the address, and that the credential may read it.",
  default_branch: null,
  branches: null,
};

function credential({ scope, project, name, host, kind, username }) {
  return {
    id: id(),
    scope,
    project: project ?? null,
    name,
    host: hostOf(host),
    kind,
    username: kind === "token" ? (username ?? "git") : null,
    public_key: kind === "ssh_key" ? KEY : null,
    created_at: now(),
    last_used_at: null,
    removable: true,
  };
}

const remote = (url, chosen) => ({
  url,
  forge: forgeOf(hostOf(url)),
  default_branch: null,
  credential: chosen,
  findings: null,
  accepts_hooks: false,
  fetched_at: null,
  fetch_error: null,
  fetch: null,
  created_at: now(),
});
