// A scripted contract generation. GENERATION=fail stops it once at the fifth contract,
// GENERATION=wait simulates an unavailable provider, GENERATION=offline creates drafts without a model.
import { randomUUID } from "node:crypto";
import { example, TYPES } from "./contracts.mjs";
import { now, wait } from "./mock-build.mjs";

const TURN_MS = 900;
const LIMITS = { manifesto: 6, phases: 14, physics: 14 };
const TOOLS = [
  "get_project_intent",
  "get_technical_preferences",
  "get_prior_contract",
  "submit_contract",
];
const REFUSAL = "line 12: the endpoint `list_tasks` is already defined in line 4";

export class MockGeneration {
  constructor({ project, contracts, types, by, speed = 1, how = process.env.GENERATION }) {
    Object.assign(this, { contracts, speed, how, listeners: new Set() });
    this.view = {
      id: `0199${randomUUID().slice(4)}`,
      project_id: project,
      status: "queued",
      model: null,
      started_by: by,
      created_at: now(),
      started_at: null,
      finished_at: null,
      failure: null,
      retry_at: null,
      contracts: types.map((type) => ({
        type,
        status: "waiting",
        turn: 0,
        turn_limit: LIMITS[type] ?? 12,
        tool: null,
        refusals: 0,
        refusal: null,
        version: null,
        source: null,
        tokens_in: 0,
        tokens_out: 0,
        cache_read: 0,
        cache_write: 0,
        cost_usd_micros: 0,
        sent_tokens: 0,
        pasted_tokens: 0,
      })),
      answers: null,
    };
  }

  get underWay() {
    return ["queued", "running"].includes(this.view.status);
  }

  tell(change = {}) {
    Object.assign(this.view, change);
    for (const listener of this.listeners) listener(this.view);
  }

  async play() {
    this.tell({ status: "queued", failure: null, finished_at: null });
    await wait(600 / this.speed);
    if (!this.underWay) return;
    const model = this.how === "offline" ? "offline" : "claude-example-1";
    this.tell({ status: "running", model, started_at: this.view.started_at ?? now() });
    if (this.how === "wait") await this.waitForProvider();
    if (!this.underWay) return;
    for (const contract of this.view.contracts) {
      if (contract.status === "written") continue;
      await (this.how === "offline" ? this.draft(contract) : this.write(contract));
      if (!this.underWay) return;
    }
    this.tell({ status: "done", finished_at: now() });
  }

  async waitForProvider() {
    this.how = undefined;
    const retry_at = new Date(Date.now() + 20_000 / this.speed).toISOString();
    const failure = "The provider is overloaded. The request is retried automatically.";
    this.tell({ status: "queued", retry_at, failure });
    await wait(20_000 / this.speed);
    if (this.underWay) this.tell({ status: "running", retry_at: null, failure: null });
  }

  async draft(contract) {
    contract.status = "writing";
    this.tell();
    await wait(300 / this.speed);
    if (this.underWay) this.finish(contract, "draft");
  }

  async write(contract) {
    contract.status = "writing";
    const position = TYPES.indexOf(contract.type);
    const tools = position === 4 ? [...TOOLS, "submit_contract"] : TOOLS;
    for (const [turn, tool] of tools.entries()) {
      Object.assign(contract, { turn: turn + 1, tool });
      contract.tokens_in += 700 + 160 * turn;
      contract.tokens_out += 120 + (tool === "submit_contract" ? 400 : 0);
      contract.cache_read += 300 * turn;
      contract.cost_usd_micros += 9_000;
      contract.sent_tokens += 600 + 150 * turn;
      contract.pasted_tokens = 2_400 + 1_500 * position;
      this.tell();
      await wait(TURN_MS / this.speed);
      if (!this.underWay) return;
      if (position === 4 && turn === 3) Object.assign(contract, { refusals: 1, refusal: REFUSAL });
      if (position === 4 && turn === 3 && this.how === "fail") return this.fail(contract);
    }
    this.finish(contract, "generated");
  }

  finish(contract, source) {
    const author = this.view.started_by;
    const version = this.contracts.add(contract.type, example(contract.type), { source, author });
    Object.assign(contract, { status: "written", version, source, tool: null });
    this.tell();
  }

  fail(contract) {
    this.how = undefined;
    contract.status = "failed";
    this.tell({
      status: "failed",
      finished_at: now(),
      failure:
        "The provider refused the key of this installation. The contracts written so far are kept. Set a valid key, then resume.",
    });
  }

  cancel() {
    for (const contract of this.view.contracts)
      if (contract.status === "writing") Object.assign(contract, { status: "waiting", tool: null });
    this.tell({ status: "cancelled", finished_at: now() });
  }
}
