// A server process for one test: the real binary with a free port and a temporary data directory.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BINARY =
  process.env.FORGEGUARD_BINARY ??
  fileURLToPath(new URL("../../../target/debug/forgeguard", import.meta.url));

export const ADMIN = { email: "admin@example.org", password: "correct horse battery" };

interface Listening {
  address: string;
  setup_url?: string;
}

export class Server {
  address = "";
  setupUrl: string | undefined;
  /** The server's log, attached to the report of failed tests. */
  log = "";
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
  ) {}

  /**
   * Starts with a copy of the data of a stopped server, or with an empty data directory; `settings`
   * are environment variables.
   */
  static async start(settings: Record<string, string>, copied?: Server): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), "forgeguard-e2e-"));
    if (copied) await cp(copied.folder, folder, { recursive: true });
    const server = new Server(folder, settings);
    await server.run("127.0.0.1:0");
    return server;
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    const child = this.running();
    child.kill("SIGKILL");
    await once(child, "exit");
    this.child = undefined;
  }

  /** Restarts with the same data and address. */
  async startAgain(): Promise<void> {
    await this.run(new URL(this.address).host);
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.child) {
      const gone = once(this.child, "exit");
      this.child.kill("SIGTERM");
      const killer = AbortSignal.timeout(10_000);
      killer.addEventListener("abort", () => this.child?.kill("SIGKILL"));
      await gone;
      this.child = undefined;
    }
  }

  /** Ends the process, and removes its data. */
  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private running(): ChildProcess {
    if (!this.child) throw new Error("the server does not run");
    return this.child;
  }

  private async run(listen: string): Promise<void> {
    const data = join(this.folder, "data");
    const flags = ["--log-format", "json", "--listen", listen, "--data-dir", data];
    const child = spawn(BINARY, ["serve", ...flags], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8", ...this.settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    child.stderr.on("data", (text) => {
      this.log += text;
    });
    const said = await listening(child).catch((error) => {
      throw new Error(`${error.message}\n${this.log}`);
    });
    this.address = said.address;
    this.setupUrl = said.setup_url;
  }
}

async function listening(child: ChildProcess): Promise<Listening> {
  if (!child.stdout) throw new Error("the server has no output");
  const failed = once(child, "error").then(([error]) => {
    throw error;
  });
  const first = (async () => {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const said = JSON.parse(line);
      if (said.event === "listening") return said as Listening;
    }
    throw new Error("the server ended before it listened");
  })();
  const said = await Promise.race([first, failed]);
  // Output must be read, or the pipe fills up and blocks the server.
  child.stdout.resume();
  return said;
}
