// Fixtures: a server, an API client, and a page of the signed-in administrator.
import { test as base, type Page } from "@playwright/test";
import { Api, type Person } from "./api";
import { Model } from "./model";
import { ADMIN, Server } from "./server";

export interface ServerOptions {
  /** Whether the server creates the administrator's account on start. */
  hasAdmin: boolean;
  /** Milliseconds before each chunk of the demo's text. */
  pace: number;
  /** Whether the server has a model that is controlled by the test. */
  hasModel: boolean;
  /** Further settings of the server, as environment variables. */
  settings: Record<string, string>;
}

const ADMIN_ACCOUNT = {
  FORGEGUARD_ADMIN_EMAIL: ADMIN.email,
  FORGEGUARD_ADMIN_PASSWORD: ADMIN.password,
};

interface Fixtures {
  /** The stopped server whose data the server starts with. */
  copied: Server | undefined;
  /** The model, if `hasModel` is set. */
  model: Model;
  server: Server;
  /** An API client of the administrator. */
  api: Api;
  /** A page with the administrator's session. */
  adminPage: Page;
}

interface WorkerFixtures {
  /** A stopped server with a sealed build of the demo project, for all tests of a worker. */
  sealedDemo: { project: string; build: string; server: Server };
}

export const test = base.extend<ServerOptions & Fixtures, WorkerFixtures>({
  hasAdmin: [true, { option: true }],
  pace: [0, { option: true }],
  hasModel: [false, { option: true }],
  settings: [{}, { option: true }],

  sealedDemo: [
    // biome-ignore lint/correctness/noEmptyPattern: it needs nothing
    async ({}, use) => {
      const server = await Server.start({ FORGEGUARD_DEMO_PACE: "0", ...ADMIN_ACCOUNT });
      const api = await Api.signIn(server.address, ADMIN);
      const started = await api.startDemo({ mutations: true });
      await api.answer(started.build, "Two weeks");
      await api.reaches(started.build, "sealed");
      await server.stop();
      await use({ ...started, server });
      await server.remove();
    },
    { scope: "worker", timeout: 240_000 },
  ],

  copied: undefined,

  // biome-ignore lint/correctness/noEmptyPattern: it needs nothing
  model: async ({}, use) => {
    const model = await Model.start();
    await use(model);
    await model.stop();
  },

  server: async ({ copied, hasAdmin, hasModel, model, pace, settings }, use, info) => {
    const environment = {
      FORGEGUARD_DEMO_PACE: String(pace),
      ...(hasAdmin ? ADMIN_ACCOUNT : {}),
      ...(hasModel ? model.settings : {}),
      ...settings,
    };
    const server = await Server.start(environment, copied);
    await use(server);
    if (info.status !== info.expectedStatus) {
      await info.attach("server.log", { body: server.log, contentType: "text/plain" });
    }
    await server.remove();
  },

  baseURL: async ({ server }, use) => use(server.address),

  api: async ({ server }, use) => use(await Api.signIn(server.address, ADMIN)),

  adminPage: async ({ page, server }, use) => {
    await signIn(page, server, ADMIN);
    await use(page);
  },
});

/** Tests whose server has the sealed build `sealedDemo`. */
export const testWithSealedDemo = test.extend({
  copied: async ({ sealedDemo }, use) => use(sealedDemo.server),
});

/** Signs in by setting the cookies of the page's context. */
export async function signIn(page: Page, server: Server, person: Person): Promise<void> {
  const answer = await page.context().request.post(`${server.address}/api/session`, {
    data: { email: person.email, password: person.password },
    headers: { origin: server.address },
  });
  if (!answer.ok()) throw new Error(`sign in: ${answer.status()} ${await answer.text()}`);
}

export { expect } from "@playwright/test";
