// A scripted model server: chat completions over HTTP, controlled by the test.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { newContract } from "./new-contract";

interface Asked {
  messages: { role: string; content?: string | null; tool_calls?: unknown[] }[];
  tools?: { function: { name: string } }[];
}

/** The answers that it extracts from a message, and its reply. */
export interface Understanding {
  answers: { section: string; question: string; text?: string; items?: string[] }[];
  says: string;
}

export class Model {
  /** Held contracts, and the functions that release them. */
  private readonly held = new Map<string, { reached: () => void; freed: Promise<void> }>();
  /** Contracts whose first submission is invalid. */
  private readonly clumsy = new Set<string>();
  private refusing = false;
  private understand: (said: string) => Understanding = () => ({ answers: [], says: "I see." });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Model> {
    const server = createServer();
    const model = new Model(server);
    server.on("request", (request, response) => void model.answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return model;
  }

  /** Settings for the server under test. */
  get settings(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "a key" };
  }

  /** Holds the reply before the text of this contract; `reached` resolves when it is requested. */
  hold(contract: string): { reached: Promise<void>; release: () => void } {
    let reach = () => {};
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const freed = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.held.set(contract, { reached: reach, freed });
    return { reached, release };
  }

  /** Sets how messages are answered. `hold("interview")` holds the reply once the form is filled in. */
  listen(understand: (said: string) => Understanding): void {
    this.understand = understand;
  }

  /** Makes the first submission invalid. */
  stumble(contract: string): void {
    this.clumsy.add(contract);
  }

  /** Sets whether the API key is rejected. */
  refuse(refusing: boolean): void {
    this.refusing = refusing;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    if (this.refusing) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "no such key", type: "invalid_key" } }));
      return;
    }
    if (messages[0]?.content?.startsWith("You answer with one word."))
      return make(response, "Ready");
    if (tools.some((tool) => tool.function.name === "set_answers"))
      return this.answerPerson(messages, response);
    if (tools.some((tool) => tool.function.name === "submit_answer"))
      return make(response, answerOf(messages));
    const [, role] = /You are the (scout|coder|auditor)/.exec(messages[0]?.content ?? "") ?? [];
    if (role) return make(response, moveOf(role, { messages, tools }));
    const [, contract = ""] = /You write the (\w+) contract/.exec(messages[0]?.content ?? "") ?? [];
    const replies = messages.filter(({ role }) => role === "assistant").length;
    if (replies === 0) return call(response, "get_project_intent", {});
    await this.wait(contract);
    const stumbles = replies === 1 && this.clumsy.has(contract);
    call(response, "submit_contract", { content: stumbles ? "" : newContract(contract) });
  }

  private async answerPerson(messages: Asked["messages"], response: ServerResponse): Promise<void> {
    const last = messages.findLastIndex(({ role }) => role === "user");
    const [said = ""] = (messages[last]?.content ?? "").split("The current state of the form:");
    const { answers, says } = this.understand(said);
    if (last === messages.length - 1 && answers.length > 0)
      return call(response, "set_answers", { answers });
    await this.wait("interview");
    reply(response, { role: "assistant", content: says }, "stop");
  }

  private async wait(what: string): Promise<void> {
    const held = this.held.get(what);
    held?.reached();
    await held?.freed;
  }
}

/** Its next action in a build: a tool call or text. */
type Move = [tool: string, input: object] | string;

/** The answer to a question about a build, with an event and a new file as references. */
function answerOf(messages: Asked["messages"]): Move {
  const last = messages.at(-1);
  if (last?.role !== "tool") return ["read_changes", {}];
  const [, path] = /^added (\S+\.js) /m.exec(last.content ?? "") ?? [];
  const references = [{ event: 1 }, { path, first_line: 1, last_line: 2 }];
  return ["submit_answer", { text: "Because the **contracts** ask for it.", references }];
}

/** Its part in a build that writes greeting.txt, and rewrites it when changes are requested. */
function moveOf(role: string, { messages }: Asked): Move {
  const requested = JSON.stringify(messages).includes("# Requested changes");
  // One conversation has several tasks, each of which begins with a message of this form.
  const isTask = ({ role, content }: Asked["messages"][number]) =>
    role === "user" && /^Phase \d+ of \d+, counted from 0: /.test(content ?? "");
  const task = messages.findLastIndex(isTask);
  const begins = messages.slice(task).every(({ role }) => role !== "assistant");
  const writes = role === "coder" && !messages[task]?.content?.includes("Plan this phase.");
  if (role === "auditor") {
    if (begins) return ["read_file", { path: "greeting.txt" }];
    const criteria = (requested ? [1, 2, 3] : [1]).map(
      (n) => `criterion ${n}: passed — greeting.txt:1`,
    );
    const lines = ["=== PHASE SIGN-OFF: PASS ===", ...criteria, "=== END PHASE SIGN-OFF ==="];
    return lines.join("\n");
  }
  if (writes) {
    const content = requested ? "Dear reader,\nHow are you?\nWorld\n" : "Hello\nWorld\n";
    return begins
      ? ["write_file", { path: "greeting.txt", content }]
      : "=== TASK DONE: 1 ===\nIt greets.";
  }
  if (begins) return ["forge_get_phase_brief", { phase_number: 0 }];
  return role === "scout"
    ? "There is a greeting."
    : "=== PLAN ===\n1. Write greeting.txt\nGates: validate\n=== END PLAN ===";
}

function make(response: ServerResponse, move: Move): void {
  if (typeof move === "string") reply(response, { role: "assistant", content: move }, "stop");
  else call(response, ...move);
}

/** A tool call, as a stream. */
function call(response: ServerResponse, name: string, input: object): void {
  const made = { name, arguments: JSON.stringify(input) };
  const tool_calls = [{ index: 0, id: "call_1", type: "function", function: made }];
  reply(response, { role: "assistant", content: null, tool_calls }, "tool_calls");
}

function reply(response: ServerResponse, message: object, finish: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const say = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const choice = (delta: object, finish_reason: string | null) =>
    say({
      id: "c",
      object: "chat.completion.chunk",
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
  choice(message, null);
  choice({}, finish);
  const usage = { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 };
  say({ id: "c", object: "chat.completion.chunk", model: "m", choices: [], usage });
  response.end("data: [DONE]\n\n");
}
