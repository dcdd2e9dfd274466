import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Generation, Interview, InterviewMessage, Project, Questionnaire } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { answering } from "@/testing/generations";
import { renderWithCache } from "@/testing/render";
import { Questionnaire as Screen } from "../questionnaire";

const question = (id: string, label: string, required = true) => ({
  id,
  label,
  help: "",
  example: "",
  kind: { type: "text" as const },
  required,
});
const SECTIONS: Questionnaire["sections"] = [
  {
    id: "product_intent",
    title: "Product",
    about: "",
    questions: [question("summary", "What should it do?"), question("users", "Who will use it?")],
  },
  {
    id: "tech_stack",
    title: "Technology",
    about: "",
    questions: [question("avoid", "What must not be used?", false)],
  },
];

const person = (text: string): InterviewMessage => ({
  author: "person",
  text,
  created_at: "2026-11-21T20:00:00Z",
});
const model = (text: string): InterviewMessage => ({ ...person(text), author: "model" });

/** A server with a questionnaire and an interview; the test plays the model. */
class Server {
  form: Questionnaire = {
    size: "full",
    sections: SECTIONS,
    answers: {},
    progress: { answered: 0, questions: 3, missing: [] },
    version: 0,
    updated_at: null,
  };
  interview: Interview = { messages: [], available: true, generation: null };
  posts: { path: string; body: string; key: string | null }[] = [];
  refusal: { status: number; detail: string } | null = null;
  sources: (EventTarget & { close: () => void })[] = [];
  /** The answer to a request to stop or resume a reply. */
  commanded = () => answering({ id: "g9" });
  /** Delays the answer to a message. */
  held = Promise.resolve();

  constructor(given: Partial<Interview> = {}) {
    Object.assign(this.interview, given);
    const sources = this.sources;
    vi.stubGlobal(
      "EventSource",
      class extends EventTarget {
        constructor() {
          super();
          sources.push(this as never);
        }
        close() {}
      },
    );
    vi.stubGlobal("fetch", (request: Request) => this.answer(request));
  }

  async answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    if (path.endsWith("/questionnaire")) return Response.json(this.form);
    if (request.method === "GET") return Response.json(this.interview);
    const body = await request.text();
    this.posts.push({ path, body, key: request.headers.get("idempotency-key") });
    if (this.refusal) return Response.json({ title: "No", ...this.refusal }, this.refusal);
    if (!path.endsWith("/interview")) return Response.json(this.commanded());
    this.interview = {
      ...this.interview,
      messages: [...this.interview.messages, person(JSON.parse(body).text)],
      generation: answering({ id: `g${this.posts.length}` }),
    };
    const answer = Response.json(this.interview, { status: 201 });
    await this.held;
    return answer;
  }

  /** The reply as sent by the stream. */
  tell(change: Partial<Generation>) {
    const generation = { ...(this.interview.generation as Generation), ...change };
    this.interview = { ...this.interview, generation };
    const data = JSON.stringify(generation);
    act(() => {
      this.sources.at(-1)?.dispatchEvent(new MessageEvent("generation", { data }));
    });
  }

  /** Answers written by the model. */
  understand(answers: Questionnaire["answers"]) {
    const version = this.form.version + 1;
    this.form = { ...this.form, answers, version };
    const counted = this.interview.generation?.answers as NonNullable<Generation["answers"]>;
    this.tell({ answers: { ...counted, turn: 1, version } });
  }
}

function show() {
  const project = { id: "p1", name: "Flock" } as Project;
  return renderWithCache(<Screen project={project} step="conversation" next={() => null} />);
}
const field = () => screen.findByRole("textbox");
const log = () => within(screen.getByRole("log", { name: "Messages" }));
const understood = () => within(screen.getByRole("complementary", { name: "Answers so far" }));
const progress = () => understood().getByRole("progressbar").getAttribute("aria-valuetext");

beforeEach(() => {
  localStorage.clear();
  window.scrollTo = () => {};
  Element.prototype.scrollIntoView = () => {};
});

it("shows new answers while the model works, and then its reply", async () => {
  const server = new Server();
  show();
  const input = await field();
  expect(input).toHaveFocus();
  expect(progress()).toBe("0 of 3");
  await userEvent.type(input, "It counts sheep.{Shift>}{Enter}{/Shift}For shepherds.{Enter}");
  expect(await screen.findByText("Reading your message…")).toBeVisible();
  expect(JSON.parse(server.posts[0]?.body ?? "")).toEqual({
    text: "It counts sheep.\nFor shepherds.",
  });
  expect(input).toHaveValue("");
  expect(log().getAllByRole("listitem")).toHaveLength(1);

  server.understand({ product_intent: { summary: "It counts sheep." } });
  await waitFor(() => expect(progress()).toBe("1 of 3"));
  expect(screen.getByText("Filling in the form…")).toBeVisible();
  const summary = understood().getByRole("link", { name: /^Change: What should it do/ });
  expect(summary).toHaveAttribute("href", "/projects/p1/questionnaire/product_intent#summary");
  expect(summary).toHaveTextContent("It counts sheep.");
  expect(summary).toHaveTextContent("(new)");
  expect(understood().getByRole("link", { name: /^Answer: Who will use it/ })).toBeVisible();
  expect(understood().queryByText("What must not be used?")).toBeNull();

  await userEvent.type(input, "And goats{Enter}");
  expect(server.posts).toHaveLength(1);
  server.interview.messages = [...server.interview.messages, model("Who are the shepherds?")];
  server.tell({ status: "done", finished_at: "2026-11-21T20:00:09Z" });
  expect(await log().findByText("Who are the shepherds?")).toBeVisible();
  expect(screen.queryByText("Filling in the form…")).toBeNull();
  await userEvent.type(input, "{Enter}");
  await waitFor(() => expect(server.posts).toHaveLength(2));
  expect(JSON.parse(server.posts[1]?.body ?? "").text).toBe("And goats");
});

it("keeps a message that could not be sent and retries it with the same key", async () => {
  const server = new Server();
  server.refusal = { status: 503, detail: "The database is busy; try again." };
  show();
  await userEvent.type(await field(), "It counts sheep.{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert).toHaveTextContent("The database is busy; try again. Your text is kept.");
  expect(await field()).toHaveValue("It counts sheep.");
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(server.posts).toHaveLength(2));
  expect(server.posts[0]?.key).toBeTruthy();
  expect(server.posts[1]?.key).toBe(server.posts[0]?.key);

  cleanup();
  show();
  expect(await field()).toHaveValue("It counts sheep.");
});

it("explains a missing reply and retries", async () => {
  const failure = "The key for openai was refused: check OPENAI_API_KEY.";
  const generation = answering({ status: "failed", failure });
  const server = new Server({ messages: [person("It counts sheep.")], generation });
  show();
  const alert = await screen.findByRole("alert");
  expect(alert).toHaveTextContent(`${failure} Your message and the answers`);
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Reading your message…")).toBeVisible();
  expect(server.posts[0]?.path).toBe("/api/generations/g1/resume");
  expect(await field()).toHaveFocus();
});

it("stops a reply", async () => {
  const server = new Server({ messages: [person("It counts.")], generation: answering() });
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
  expect(server.posts[0]?.path).toBe("/api/generations/g1/cancel");
});

it("stays stopped when the request to stop is answered after the stream has ended", async () => {
  const server = new Server({ messages: [person("It counts.")], generation: answering() });
  server.commanded = () => {
    server.tell({ status: "cancelled" });
    return answering();
  };
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
  expect(await screen.findByText("You stopped the reply")).toBeVisible();
  await waitFor(async () => expect(await field()).toHaveFocus());
  expect(screen.getByText("You stopped the reply")).toBeVisible();
});

it("keeps a reply that is complete before the request that sent the message is answered", async () => {
  const server = new Server();
  let release = () => {};
  server.held = new Promise((resolve) => {
    release = resolve;
  });
  const client = show();
  await userEvent.type(await field(), "It counts.{Enter}");
  await waitFor(() => expect(server.posts).toHaveLength(1));
  await act(() => client.refetchQueries({ queryKey: keys.interview("p1") }));
  expect(await screen.findByText("Reading your message…")).toBeVisible();
  server.interview.messages.push(model("For whom?"));
  server.tell({ status: "done" });
  expect(await log().findByText("For whom?")).toBeVisible();
  release();
  await waitFor(async () => expect(await field()).toHaveValue(""));
  expect(log().getByText("For whom?")).toBeVisible();
  expect(screen.queryByText("Reading your message…")).toBeNull();
});

it("links to the review when all required questions are answered", async () => {
  const server = new Server({
    messages: [person("It counts."), model("Everything needed is there.")],
    generation: answering({ status: "done" }),
  });
  server.form.answers = { product_intent: { summary: "It counts.", users: "Me" } };
  show();
  const review = await screen.findByRole("link", { name: "Review answers" });
  expect(review).toHaveAttribute("href", "/projects/p1/questionnaire/review");
  expect(understood().getByText("2 of 3 answered")).toBeVisible();
});

it("shows messages as plain text", async () => {
  const hostile = '<img src=x onerror="alert(1)"> **bold** [link](javascript:alert(1))';
  new Server({
    messages: [person(hostile), model(hostile)],
    generation: answering({ status: "done" }),
  });
  show();
  expect(await screen.findAllByText(hostile)).toHaveLength(2);
  expect(document.querySelector("img")).toBeNull();
  expect(log().queryByRole("link")).toBeNull();
});

it("explains how to configure a model, and offers the form", async () => {
  new Server({ available: false });
  show();
  expect(await screen.findByText("No model available")).toBeVisible();
  expect(screen.getByText(/An administrator can set a provider/)).toBeVisible();
  expect(screen.getByRole("link", { name: "Use the form" })).toHaveAttribute(
    "href",
    "/projects/p1/questionnaire",
  );
  expect(screen.queryByRole("navigation", { name: "Input mode" })).toBeNull();
});

it("rejects messages that are too long", async () => {
  const server = new Server();
  localStorage.setItem("forgeguard-draft::message:p1", JSON.stringify("x".repeat(20_001)));
  show();
  const input = await field();
  expect(screen.getByText("Shorten this to 20,000 characters; it has 20,001.")).toBeVisible();
  await userEvent.type(input, "{Enter}");
  expect(server.posts).toHaveLength(0);
  expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
});
