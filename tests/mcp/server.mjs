// A server of the real program with a forge key. It has the project of the demo, `shelf`.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const BINARY =
  process.env.FORGEGUARD_BINARY ??
  fileURLToPath(new URL("../../target/debug/forgeguard", import.meta.url));

const EMAIL = "admin@example.org";

export async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), "forgeguard-mcp-"));
  const data = ["--data-dir", join(folder, "data")];
  const env = {
    PATH: process.env.PATH,
    FORGEGUARD_ADMIN_EMAIL: EMAIL,
    FORGEGUARD_ADMIN_PASSWORD: "correct horse battery",
  };
  const flags = ["--listen", "127.0.0.1:0", "--log-format", "json"];
  const child = spawn(BINARY, ["serve", ...flags, ...data], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const address = await listening(child);
  const created = await promisify(execFile)(BINARY, ["key", "create", ...data, EMAIL], {
    cwd: folder,
    env,
  });
  const key = created.stdout.match(/fgk_\S+/)?.[0];
  if (!key) throw new Error(`no key was created: ${created.stdout}`);
  return {
    address,
    key,
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** For clients that cannot send a key: a proxy which adds it. */
export async function startProxy({ address, key }) {
  const { hostname, port } = new URL(address);
  const proxy = http.createServer((request, response) => {
    const onward = http.request({
      hostname,
      port,
      path: request.url,
      method: request.method,
      headers: { ...request.headers, authorization: `Bearer ${key}` },
    });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    address: `http://127.0.0.1:${proxy.address().port}`,
    stop() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

async function listening(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line);
    if (said.event === "listening") {
      child.stdout.resume();
      return said.address;
    }
  }
  throw new Error("the server ended before it listened");
}
