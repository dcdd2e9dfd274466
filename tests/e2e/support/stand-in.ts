// The web app's mock server, for a journal too long to be created by every test.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../../web/dev/server.mjs", import.meta.url));

export class StandIn {
  private constructor(
    readonly address: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<StandIn> {
    const child = spawn(process.execPath, [SCRIPT], {
      env: { PATH: process.env.PATH, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    // It prints one line when it listens, and none if it fails.
    for await (const line of createInterface(child.stdout)) {
      const address = /http:\S+/.exec(line)?.[0];
      if (address) return new StandIn(address, child);
    }
    throw new Error("the mock server did not start");
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
