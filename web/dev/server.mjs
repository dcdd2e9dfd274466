// A mock server for working on the web app: `npm run dev:mock`, then `npm run dev`.
// All data is in memory; any email and password is accepted. PORT, SPEED, FRESH=1 (setup) and
// GENERATION and INTERVIEW (see generation.mjs and interview.mjs) configure it.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { WebSocketServer } from "ws";
import { allBuilds, comparison } from "./all-builds.mjs";
import { ContractRoutes, missing, problem } from "./contract-routes.mjs";
import { MockContracts, TYPES } from "./contracts.mjs";
import { MockDelivery } from "./delivery.mjs";
import { MockInstallation, permissionRules, readiness } from "./installation.mjs";
import { MockInterview } from "./interview.mjs";
import { MockBuild, now, wait } from "./mock-build.mjs";
import { questionnaire, SUGGESTED_ANSWERS } from "./questionnaire.mjs";
import { MockRemotes } from "./remotes.mjs";
import {
  detectedGates,
  file,
  fileDiff,
  files,
  manyFiles,
  oneOfMany,
  runInstructions,
  usage,
} from "./samples.mjs";

const port = Number(process.env.PORT ?? 8080);
const speed = Number(process.env.SPEED ?? 1);
const app = fileURLToPath(new URL("../../static/app", import.meta.url));
/** The image of all builds. */
const picture = fileURLToPath(new URL("../../docs/ide.png", import.meta.url));
const user = {
  id: "0198aaaa-0000-7000-8000-000000000001",
  email: "ada@example.org",
  name: "Ada Lovelace",
  role: "admin",
};
const me = { kind: "user", id: user.id, name: user.name };
const state = {
  needed: process.env.FRESH === "1",
  signedIn: false,
  keys: [],
  settings: new Map(),
  notepads: new Map(),
  answers: new Map(),
  contracts: new Map(),
  interviews: new Map(),
};
const builds = new Map();
const deliveries = new Map();
const project = (n, name, description, origin) => ({
  id: `0198bbbb-0000-7000-8000-00000000000${n}`,
  slug: name.toLowerCase().replaceAll(" ", "-"),
  role: "owner",
  owner: { id: user.id, name: user.name },
  archived_at: null,
  name,
  description,
  origin,
  default_branch: "main",
  created_at: now(),
  updated_at: now(),
});
const projects = [
  project(
    1,
    "TaskFlow demo",
    "A small task list for the command line, with tests: the bundled demo.",
    "demo",
  ),
  project(
    2,
    "A very long journal",
    "One build with a hundred thousand events, for trying out the activity list.",
    "questionnaire",
  ),
  project(
    3,
    "Invoice importer",
    "Reads invoices from a mailbox, checks them and files them.",
    "questionnaire",
  ),
  project(
    4,
    "A short journal",
    "One build with a few hundred events, to compare with the long one.",
    "questionnaire",
  ),
];
const remotes = new MockRemotes(projects[2].id);
const installation = new MockInstallation({ user, projects });
const newBuild = (of) => {
  const number = [...builds.values()].filter((it) => it.build.project_id === of.id).length + 1;
  const build = new MockBuild(of, { speed, me, number });
  builds.set(build.id, build);
  return build;
};
newBuild(projects[1]).fill(100_000);
newBuild(projects[3]).fill(400);
// Two sealed builds, to be compared.
for (const title of ["First version", "Due dates"]) {
  const sealed = newBuild(projects[2]);
  sealed.build.title = title;
  sealed.speed = 1000;
  sealed.play();
  wait(2500).then(
    () =>
      sealed.build.open_clarifications[0] &&
      sealed.answer({
        question_id: sealed.build.open_clarifications[0].id,
        answer: "By priority",
      }),
  );
}

const buildsOf = (id) =>
  [...builds.values()]
    .filter(({ build }) => build.project_id === id)
    .map(({ build }) => build)
    .reverse();
const view = (p) => ({
  ...p,
  last_build: buildsOf(p.id)[0] ?? null,
  owner: { id: user.id, name: user.name },
  role: "owner",
  open_questions: buildsOf(p.id).reduce((sum, b) => sum + b.open_questions, 0),
  max_concurrent_builds: 1,
});
const list = (items) => ({ items, next: null });
const session = () => ({ user, access_token: "mock", expires_at: now() });

function page({ events }, query) {
  const limit = Number(query.get("limit") ?? 100);
  const before = Number(query.get("before") ?? 0);
  const after = Number(query.get("after") ?? 0);
  if (query.get("tail") === "true") return list(events.slice(-limit));
  if (before) return list(events.slice(Math.max(0, before - 1 - limit), before - 1));
  return list(events.slice(after, after + limit));
}

function command(mock, name, body) {
  const record = {
    pause: "build_pause_requested",
    resume: "build_resume_requested",
    cancel: "build_cancel_requested",
    interject: "build_interjected",
  }[name];
  if (!record) return missing;
  const seq = mock.append(record, { by: me, ...body });
  if (name === "pause") mock.append("build_paused", { by: me, reason: null });
  if (name === "resume") mock.append("build_unpaused", { by: me });
  if (name === "cancel") mock.append("build_abandoned", { by: me, reason: body.reason ?? null });
  mock.paused = mock.build.status === "paused";
  return { status: 202, body: { seq } };
}

function buildRoute(method, [id, what, error, dismiss], query, body) {
  const mock = builds.get(id);
  if (!mock) return missing;
  if (!what) return { body: mock.build };
  if (what === "delivery") {
    // Only this project has a remote.
    if (mock.build.project_id !== projects[2].id)
      return { body: { remote: null, when: "on_request", branch: "", delivery: null } };
    if (!deliveries.has(id)) deliveries.set(id, new MockDelivery());
    const delivery = deliveries.get(id);
    if (method === "POST") delivery.request();
    return { status: method === "POST" ? 202 : 200, body: delivery.view(mock.build.branch) };
  }
  if (what === "usage") return { body: usage(mock.build) };
  if (what === "run-instructions") return { body: runInstructions };
  if (what === "questions") {
    return { body: { ...list([]), unavailable_reason: "The mock server has no model." } };
  }
  // None of them has been reviewed yet.
  if (what === "reviews") {
    const none = { follows: null, follow_up: null, may_follow_up: false };
    return { body: { decisions: [], comments: [], ...none } };
  }
  if (dismiss === "reopen") {
    mock.append("build_error_reopened", { error_id: error });
    return { body: mock.errors.get(error) };
  }
  if (dismiss === "dismiss") {
    mock.append("build_error_resolved", { error_id: error, method: "dismissed", summary: null });
    return { body: mock.errors.get(error) };
  }
  if (what === "clarify") {
    const question = mock.answer(body);
    return question
      ? { body: question }
      : problem(409, "Already answered", "This question has its answer.");
  }
  // Only in the mock: simulates a very busy build.
  if (what === "pour")
    return mock.pour(body.count, body.per_second).then((last) => ({ body: { last } }));
  if (method === "POST") return command(mock, what, body);
  const large = mock.build.project_id === projects[1].id;
  const changed = large ? manyFiles : mock.build.started_at ? files : [];
  const diff = query.get("path")
    ? (large ? oneOfMany : fileDiff)(query.get("path"))
    : { files: changed };
  return {
    body:
      {
        events: () => page(mock, query),
        errors: () => list([...mock.errors.values()]),
        commits: () => list(mock.commits),
        diff: () => diff,
        file: () => ({ ...file(query.get("path")), path: query.get("path") }),
        tree: () => ({ commit: query.get("commit"), files: changed, truncated: false }),
        reviews: () => ({
          decisions: [],
          approvals: 0,
          required_approvals: 1,
          comments: [],
          follows: null,
          follows_number: null,
          follow_up: null,
          may_follow_up: false,
          recorded_request: null,
          follow_up_obstacle: null,
        }),
        verify: () => ({
          ok: true,
          events: mock.events.length,
          head_hash: mock.build.head_hash,
          problems: [],
          notes: [],
        }),
      }[what]?.() ?? list([]),
  };
}

state.contracts.set(
  projects[0].id,
  new MockContracts({ at: now(), written: TYPES, source: "demo" }),
);
state.contracts.set(
  projects[2].id,
  new MockContracts({ at: now(), written: TYPES.slice(0, 6), author: user.name }),
);
state.answers.set(projects[2].id, {
  size: "full",
  answers: {
    product_intent: {
      summary: "It reads invoices from a mailbox, checks them and files them.",
      features: ["See what is due this week"],
    },
    tech_stack: { language: "No preference" },
  },
  version: 1,
  updated_at: now(),
});
const contractRoutes = new ContractRoutes({
  contractsOf: (id) => {
    const kept = state.contracts.get(id) ?? new MockContracts({ at: now() });
    state.contracts.set(id, kept);
    return kept;
  },
  answersOf: (id) => state.answers.get(id),
  user,
  speed,
});

function projectRoute(method, [ref, what, ...rest], query, body) {
  const found = projects.find((p) => p.id === ref || p.slug === ref);
  if (!found) return missing;
  const { id } = found;
  if (!what) return { body: view(found) };
  if (what === "builds" && method === "POST") {
    const mock = newBuild(found);
    mock.play();
    return { status: 201, body: mock.build };
  }
  if (what === "builds" && rest.length > 0) {
    const build = buildsOf(id).find((it) => it.id === rest[0] || String(it.number) === rest[0]);
    return build ? { body: builds.get(build.id).build } : missing;
  }
  if (what === "builds") return { body: list(buildsOf(id)) };
  if (what === "compare" && rest[0] === "diff") {
    return { body: query.get("path") ? fileDiff(query.get("path")) : { files } };
  }
  if (what === "compare") {
    const both = comparison(buildsOf(id), query);
    return both ? { body: both } : missing;
  }
  if (what === "contracts") return contractRoutes.contracts(method, id, rest, query, body);
  if (what === "generations") return contractRoutes.ofProject(id, query);
  if (what === "gates") return { body: detectedGates };
  if (what === "notepad") {
    const pad = state.notepads.get(id) ?? { content: "", updated_at: null, version: 0 };
    if (method !== "PUT") return { body: pad };
    if (body.version !== pad.version)
      return problem(409, "Changed elsewhere", "The notepad was changed somewhere else.");
    state.notepads.set(id, { content: body.content, updated_at: now(), version: pad.version + 1 });
    return { body: state.notepads.get(id) };
  }
  if (what === "questionnaire") {
    if (rest[0] === "suggestions") return { body: SUGGESTED_ANSWERS };
    const kept = questionnaire(state.answers.get(id));
    if (method !== "PUT") return { body: kept };
    if (body.version !== kept.version)
      return problem(409, "Changed elsewhere", "The answers were changed somewhere else.");
    state.answers.set(id, { ...body, version: kept.version + 1, updated_at: now() });
    return { body: questionnaire(state.answers.get(id)) };
  }
  if (what === "interview") return interviewRoute(method, id, body);
  if (what === "remote") return remotes.projectRoute(method, id, rest, body);
  if (what === "webhooks") return installation.webhookRoute(method, id, rest, body);
  if (what === "build-readiness") return { body: readiness };
  if (what === "permissions") return { body: permissionRules };
  if (what === "viewers") return { body: list([]) };
  if (method === "PUT") state.settings.set(id, body);
  return {
    body: state.settings.get(id) ?? {
      gates: [
        { name: "test", command: "node --test", timeout_s: 300, required: true, network: false },
      ],
      clarification_timeout_s: 600,
      detect_gates: true,
      permissions: [],
      max_concurrent_builds: 1,
      red_check: true,
      budgets: {},
      plan_approval: "never",
      executor: "builtin",
      executors: [{ executor: "builtin", label: "Built-in agent", version: null, obstacle: null }],
      delivery: {
        when: "on_request",
        draft_unless_certified: true,
        labels: ["forgeguard"],
        reviewers: [],
      },
    },
  };
}

function interviewRoute(method, id, { text }) {
  if (!state.interviews.has(id)) state.interviews.set(id, newInterview(id));
  const talk = state.interviews.get(id);
  if (method !== "POST") return { body: talk.view };
  if (!talk.available) return problem(409, "Not now", "No model is configured for interviews.");
  if (talk.run?.underWay)
    return problem(409, "Not now", "Your last message is still being answered.");
  contractRoutes.generations.unshift(talk.say(text));
  return { status: 201, body: talk.view };
}

const newInterview = (project) =>
  new MockInterview({
    project,
    by: user.name,
    speed,
    form: () => questionnaire(state.answers.get(project)),
    answer({ section, id }, answer) {
      const kept = questionnaire(state.answers.get(project));
      const answers = {
        ...kept.answers,
        [section]: { ...kept.answers[section], [id]: answer },
      };
      const version = kept.version + 1;
      state.answers.set(project, { size: kept.size, answers, version, updated_at: now() });
      return version;
    },
  });

function route(method, path, query, body) {
  const [, , area, ...rest] = path.split("/");
  if (area === "reviews" && rest.length === 0) {
    return { body: { items: [], next: null, open_count: 0 } };
  }
  if (area === "reviews" && ["file", "tree"].includes(rest[1])) {
    return buildRoute(method, rest, query, body);
  }
  if (area === "setup") {
    if (method === "POST") Object.assign(state, { needed: false, signedIn: true });
    return method === "POST"
      ? { status: 201, body: session() }
      : { body: { needed: state.needed } };
  }
  if (area === "session" && method === "POST" && !rest[0]) {
    if (body.password === "wrong") return problem(401, "Not signed in", "Wrong email or password.");
    state.signedIn = true;
    return { body: session() };
  }
  if (area === "session" && method === "DELETE") state.signedIn = false;
  if (area === "sign-in") return { body: list(installation.signInOptions()) };
  if (!state.signedIn) return problem(401, "Not signed in", "Sign in first.");
  if (area === "session") return { body: session() };
  if (area === "me") return installation.meRoute(method, rest, body);
  if (area === "settings") return installation.settingsRoute(method, rest, body);
  if (area === "sessions") return installation.sessions();
  if (area === "users") return { body: list([installation.user]) };
  if (area === "audit-log") return installation.auditRoute(rest, query);
  if (area === "credentials") return remotes.credentialRoute(method, rest, body);
  if (area === "remote-tests") return remotes.test(body);
  if (area === "forge-keys") {
    if (method === "DELETE") state.keys.find((key) => key.id === rest[0]).revoked_at = now();
    if (method !== "POST") return { body: list(state.keys) };
    const key = {
      id: crypto.randomUUID(),
      name: body.name,
      prefix: "fgk_7Qd2",
      created_at: now(),
      last_used_at: null,
      revoked_at: null,
    };
    state.keys.unshift(key);
    return { status: 201, body: { ...key, key: "fgk_7Qd2mB0xJr5WkTz81nVfYcLhPa3Ge6Us" } };
  }
  if (area === "imports") {
    const name =
      body.name ||
      body.url
        .replace(/\.git$/, "")
        .split(/[/:]/)
        .at(-1);
    projects.push(project(projects.length + 1, name, "", "questionnaire"));
    remotes.import(projects.at(-1).id, body);
    return { status: 201, body: view(projects.at(-1)) };
  }
  if (area === "builds" && rest.length === 0) return { body: allBuilds(projects, query) };
  if (area === "builds") return buildRoute(method, rest, query, body);
  if (area === "generations") return contractRoutes.generation(...rest);
  if (area !== "projects") return missing;
  if (rest.length > 0) return projectRoute(method, rest, query, body);
  if (method === "GET") return { body: list(projects.map(view)) };
  projects.push(project(projects.length + 1, body.name, body.description, "questionnaire"));
  return { status: 201, body: view(projects.at(-1)) };
}

const MIME = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Compressed and cached as the server does it. */
function serveApp(path, response) {
  const file = join(app, path);
  const found = extname(path) && existsSync(file) ? file : join(app, "index.html");
  const compressed = `${found}.br`;
  const isCompressed = existsSync(compressed);
  response.writeHead(200, {
    "content-type": MIME[extname(found)] ?? "application/octet-stream",
    "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000" : "no-cache",
    ...(isCompressed && { "content-encoding": "br" }),
  });
  response.end(readFileSync(isCompressed ? compressed : found));
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (!url.pathname.startsWith("/api/")) return serveApp(url.pathname, response);
  const [, , area, ...rest] = url.pathname.split("/");
  if (area === "builds" && rest[1] === "picture") {
    response.writeHead(200, { "content-type": "image/png" });
    return response.end(readFileSync(picture));
  }
  if (area === "generations" && contractRoutes.stream(request, response, rest)) return;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { status = 200, body } = await route(
    request.method,
    url.pathname,
    url.searchParams,
    text ? JSON.parse(text) : {},
  );
  response.writeHead(status, {
    "content-type": status < 400 ? "application/json" : "application/problem+json",
    "content-encoding": "gzip",
  });
  response.end(body === undefined || status === 204 ? undefined : gzipSync(JSON.stringify(body)));
});

new WebSocketServer({ server, path: "/api/ws" }).on("connection", (socket) => {
  const send = (frame) => socket.send(JSON.stringify(frame));
  const subscribed = new Set();
  const ping = setInterval(() => send({ op: "ping" }), 15_000);
  socket.on("message", (data) => {
    const { op, build_id, after = 0 } = JSON.parse(data);
    const mock = builds.get(build_id);
    if (op !== "subscribe") return;
    if (!mock) return send({ op: "error", code: 4004, build_id, message: "no such build" });
    if (after > mock.events.length)
      return send({ op: "reset", build_id, head: mock.events.length });
    send({ op: "subscribed", build_id, head: mock.events.length });
    for (const event of mock.events.slice(after)) send({ op: "event", event });
    mock.listeners.add(send);
    subscribed.add(mock);
  });
  socket.on("close", () => {
    clearInterval(ping);
    for (const mock of subscribed) mock.listeners.delete(send);
  });
});

server.listen(port, "127.0.0.1", () =>
  process.stdout.write(`Mock server at http://127.0.0.1:${server.address().port}\n`),
);
