// Official clients against the real program: both TypeScript SDKs, the Python SDK, the Inspector.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { BINARY, startServer } from "./server.mjs";

const run = promisify(execFile);
const PROJECT = "shelf";
/** Occurs in its blueprint. */
const BLUEPRINT = /Due dates/;

let server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const endpoint = () => new URL(`${server.address}/mcp`);
const authorization = () => `Bearer ${server.key}`;
const overHttp = (Transport) =>
  new Transport(endpoint(), { requestInit: { headers: { authorization: authorization() } } });
const overBridge = () =>
  new StdioClientTransport({
    command: BINARY,
    args: ["mcp", "--server", server.address],
    env: { PATH: process.env.PATH, FORGEGUARD_KEY: server.key },
  });
const second = (mode) =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });

for (const [name, connect] of [
  [
    "SDK 1 over HTTP",
    () => [new FirstClient({ name: "test", version: "1" }), overHttp(FirstTransport)],
  ],
  [
    "SDK 2 over HTTP with sessions",
    () => [second("legacy"), overHttp(StreamableHTTPClientTransport)],
  ],
  [
    "SDK 2 over HTTP without sessions",
    () => [second({ pin: "2026-07-28" }), overHttp(StreamableHTTPClientTransport)],
  ],
  ["SDK 2 over the bridge", () => [second("legacy"), overBridge()]],
  ["SDK 2 over the bridge without sessions", () => [second({ pin: "2026-07-28" }), overBridge()]],
]) {
  test(`${name}: tools, resources and prompts`, async () => {
    const [client, transport] = connect();
    await client.connect(transport);
    try {
      await useAll(client);
    } finally {
      await client.close();
    }
  });
}

async function useAll(client) {
  const { tools } = await client.listTools();
  const read = tools.find(({ name }) => name === "forge_get_project_contract");
  assert.equal(read?.annotations?.readOnlyHint, true);

  const call = (project_id) => ({
    name: "forge_get_project_contract",
    arguments: { project_id, contract_type: "blueprint" },
  });
  const contract = await client.callTool(call(PROJECT));
  assert.match(JSON.stringify(contract), BLUEPRINT);
  const missing = await client.callTool(call("missing"));
  assert.equal(missing.isError, true);
  assert.match(missing.content[0].text, /project/i);

  const { resources } = await client.listResources();
  const blueprint = resources.find(({ uri }) => uri.endsWith("/contracts/blueprint"));
  const { contents } = await client.readResource({ uri: blueprint.uri });
  assert.match(contents[0].text, BLUEPRINT);

  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map(({ name }) => name).sort(), ["review_build", "write_contract"]);
  const prompt = await client.getPrompt({
    name: "write_contract",
    arguments: { project_id: PROJECT, contract_type: "blueprint" },
  });
  assert.ok(prompt.messages.length > 0);
}

test("Inspector: lists and calls tools, and finds no fault in their schemas", async () => {
  const inspect = async (...flags) => {
    const program = fileURLToPath(
      import.meta.resolve("@modelcontextprotocol/inspector/package.json"),
    );
    const { bin } = (await import(program, { with: { type: "json" } })).default;
    const script = fileURLToPath(new URL(bin["mcp-inspector"], `file://${program}`));
    const header = ["--header", `Authorization: ${authorization()}`];
    const target = ["--cli", endpoint().href, "--transport", "http", ...header];
    const { stdout } = await run(process.execPath, [script, ...target, ...flags], {
      maxBuffer: 16 * 1024 * 1024,
    });
    return JSON.parse(stdout);
  };
  const { tools } = await inspect("--method", "tools/list", "--strict");
  assert.ok(tools.some(({ name }) => name === "forge_get_project_contract"));
  const flags = [
    "--method",
    "tools/call",
    "--tool-name",
    "forge_get_project_contract",
    "--tool-arg",
  ];
  const called = await inspect(...flags, `project_id=${PROJECT}`, "contract_type=blueprint");
  assert.match(JSON.stringify(called), BLUEPRINT);
});

for (const mode of ["legacy", "2026-07-28"]) {
  test(`Python SDK, ${mode}: tools, resources and prompts`, async () => {
    const script = fileURLToPath(new URL("client.py", import.meta.url));
    const packages = fileURLToPath(new URL("../../target/python", import.meta.url));
    const { stdout } = await run("python3", [script, endpoint().href, PROJECT, mode], {
      env: { ...process.env, PYTHONPATH: packages, FORGEGUARD_KEY: server.key },
    });
    assert.match(stdout, /^[1-9]\d* tools, [1-9]\d* resources, 2 prompts/);
    assert.match(stdout, BLUEPRINT);
  });
}
