// A scripted interview: each message answers the first open question, and the next one is asked.
// INTERVIEW=off has no model, INTERVIEW=fail fails once.
import { randomUUID } from "node:crypto";
import { now, wait } from "./mock-build.mjs";

const TURN_MS = 1_200;

export class MockInterview {
  messages = [];
  run = null;
  available = process.env.INTERVIEW !== "off";

  /** `form()` returns the questionnaire; `answer(section, question, answer)` writes one answer. */
  constructor({ project, by, form, answer, speed = 1 }) {
    Object.assign(this, { project, by, form, answer, speed, how: process.env.INTERVIEW });
  }

  get view() {
    const { messages, available, run } = this;
    return { messages, available, generation: run?.view ?? null };
  }

  say(text) {
    this.messages.push({ author: "person", text, created_at: now() });
    this.run = new MockAnswer(this, text);
    this.run.play();
    return this.run;
  }
}

class MockAnswer {
  listeners = new Set();

  constructor(talk, text) {
    Object.assign(this, { talk, text });
    this.view = {
      id: `0199${randomUUID().slice(4)}`,
      project_id: talk.project,
      status: "queued",
      model: null,
      started_by: talk.by,
      created_at: now(),
      started_at: null,
      finished_at: null,
      failure: null,
      retry_at: null,
      contracts: [],
      answers: {
        turn: 0,
        turn_limit: 8,
        version: null,
        tokens_in: 0,
        tokens_out: 0,
        cache_read: 0,
        cache_write: 0,
        cost_usd_micros: 0,
      },
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
    const { talk } = this;
    this.tell({ status: "running", model: "claude-example-1", started_at: now(), failure: null });
    await wait(TURN_MS / talk.speed);
    if (!this.underWay) return;
    if (talk.how === "fail") return this.fail();
    const [open] = openQuestions(talk.form());
    const version = open && talk.answer(open, open.kind.type === "list" ? [this.text] : this.text);
    this.count({ turn: 1, ...(version && { version }) });
    await wait(TURN_MS / talk.speed);
    if (!this.underWay) return;
    const [next] = openQuestions(talk.form());
    const text = next
      ? `I have noted that. ${next.label}`
      : "Everything needed is there. What is left open can stay so; the review shows all answers.";
    talk.messages.push({ author: "model", text, created_at: now() });
    this.count({ turn: 2 });
    this.tell({ status: "done", finished_at: now() });
  }

  count(change) {
    const { answers } = this.view;
    Object.assign(answers, change);
    answers.tokens_in += 1_400;
    answers.tokens_out += 90;
    answers.cost_usd_micros += 5_600;
    this.tell();
  }

  fail() {
    this.talk.how = undefined;
    const failure = "The provider refused the key of this installation. Set a key that is valid.";
    this.tell({ status: "failed", finished_at: now(), failure });
  }

  cancel() {
    this.tell({ status: "cancelled", finished_at: now() });
  }
}

/** Unanswered required questions, with their sections. */
function openQuestions({ sections, progress }) {
  return progress.missing.map(({ section, question }) => ({
    section,
    ...sections.find(({ id }) => id === section).questions.find(({ id }) => id === question),
  }));
}
