// The web app's mock server, for a journal too long to be created by every test.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../../web/dev/server.mjs", import.meta.url));

export class StandIn {
  private constructor(
    readonly address: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<StandIn> {
    const port = await freePort();
    const child = spawn(process.execPath, [SCRIPT], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    // It prints one line when it listens.
    await once(child.stdout, "data");
    return new StandIn(`http://127.0.0.1:${port}`, child);
  }

  /** The id of the build that the page at `url` shows. */
  async buildAt(url: string): Promise<string> {
    const answer = await fetch(`${this.address}/api${new URL(url).pathname}`);
    return ((await answer.json()) as { id: string }).id;
  }

  /** Adds events to a build; returns the file of the last one. */
  async pour(build: string, count: number, perSecond: number): Promise<string> {
    const answer = await fetch(`${this.address}/api/builds/${build}/pour`, {
      method: "POST",
      body: JSON.stringify({ count, per_second: perSecond }),
    });
    return ((await answer.json()) as { last: string }).last;
  }

  async stop(): Promise<void> {
    const gone = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await gone;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (!address || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
