// The official conformance suite, for the newest revision with sessions and the one without.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startProxy, startServer } from "./server.mjs";

const require = createRequire(import.meta.url);
const local = (path) => fileURLToPath(new URL(path, import.meta.url));

let server;
let proxy;
before(async () => {
  server = await startServer();
  proxy = await startProxy(server);
});
after(async () => {
  proxy?.stop();
  await server?.stop();
});

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`scenarios that revision ${revision} requires`, async () => {
    const suite = local("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const target = ["server", "--url", `${proxy.address}/mcp`, "--requirements", revision];
    const expected = ["--expected-failures", local(`expected-failures-${revision}.yml`)];
    const { status, output } = await outcome(node(), [suite, ...target, ...expected]);
    assert.equal(status, 0, output.slice(output.indexOf("=== SUMMARY ===")));
  });
}

/** The suite needs Node.js 22. */
function node() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
}

function outcome(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ status: error ? (error.code ?? -1) : 0, output: stdout + stderr });
    });
  });
}
