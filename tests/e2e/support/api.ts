// A client of the HTTP API, for the preconditions of tests.
import { expect } from "@playwright/test";

export interface Person {
  email: string;
  password: string;
}

export interface Build {
  id: string;
  status: string;
  verdict: string | null;
  head_seq: number;
  head_hash: string;
  commit_count: number;
}

export class Api {
  private constructor(
    private readonly address: string,
    private readonly token: string,
  ) {}

  static async signIn(address: string, { email, password }: Person): Promise<Api> {
    const answer = await fetch(`${address}/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    if (!answer.ok) throw new Error(`sign in: ${answer.status} ${await answer.text()}`);
    return new Api(address, (await answer.json()).access_token);
  }

  get<T>(path: string): Promise<T> {
    return this.ask("GET", path);
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.ask("POST", path, body);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.ask("PUT", path, body);
  }

  /** The id of the demo project, which every new installation has. */
  async demo(): Promise<string> {
    const { items } = await this.get<{ items: { id: string; origin: string }[] }>("/api/projects");
    const demo = items.find((project) => project.origin === "demo");
    if (!demo) throw new Error("there is no demo project");
    return demo.id;
  }

  /**
   * Starts a build of the demo project. Mutating its code takes half of the time of a build, and is disabled in the
   * project's settings unless `mutations` is set.
   */
  async startDemo({ mutations = false } = {}): Promise<{ project: string; build: string }> {
    const project = await this.demo();
    if (!mutations) {
      const path = `/api/projects/${project}/settings`;
      await this.put(path, { ...(await this.get<object>(path)), mutation_sample: null });
    }
    const { id } = await this.post<{ id: string }>(`/api/projects/${project}/builds`);
    return { project, build: id };
  }

  /** Waits for a question of the build and answers it. */
  async answer(build: string, answer: string): Promise<void> {
    await this.reaches(build, "awaiting_input");
    const { items } = await this.get<{ items: { id: string; status: string }[] }>(
      `/api/builds/${build}/clarifications`,
    );
    const question = items.find(({ status }) => status === "open");
    await this.post(`/api/builds/${build}/clarify`, { question_id: question?.id, answer });
  }

  async reaches(build: string, status: string): Promise<Build> {
    await expect
      .poll(async () => (await this.build(build)).status, { timeout: 240_000 })
      .toBe(status);
    return this.build(build);
  }

  build(build: string): Promise<Build> {
    return this.get(`/api/builds/${build}`);
  }

  /** The events of a build, limited to one page. */
  async events(build: string): Promise<{ seq: number; type: string }[]> {
    const page = await this.get<{ items: { seq: number; type: string }[] }>(
      `/api/builds/${build}/events?limit=1000`,
    );
    return page.items;
  }

  async download(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send("GET", path)).arrayBuffer());
  }

  private async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  private async send(method: string, path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(`${this.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
