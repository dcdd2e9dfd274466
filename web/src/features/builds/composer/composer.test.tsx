import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { Build, Clarification } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { Composer } from "./composer";

afterEach(() => vi.unstubAllGlobals());

/** A server without questions, which it lists after `mayList`; returns the requests that were posted. */
function serving(unavailable_reason: string | null = null, mayList = Promise.resolve()) {
  const sent: { path: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname.replace("/api/builds/b1/", "");
    if (request.method === "POST") sent.push({ path, body: await request.json() });
    else await mayList;
    if (path === "questions") return Response.json({ items: [], next: null, unavailable_reason });
    return Response.json({ items: [], next: null });
  });
  return sent;
}

function setUp(given: Partial<Build> = {}) {
  const build = {
    id: "b1",
    project_id: "p1",
    status: "running",
    open_clarifications: [],
    ...given,
  } as unknown as Build;
  renderWithCache(
    <Composer build={build} inputRef={createRef<HTMLInputElement>()} notificationOffer={null} />,
  );
}

const asked = (id: string, question: string): Clarification => ({
  id,
  kind: "question",
  question,
  context: null,
  options: [],
  multiple: false,
  asked_by: "coder",
  asked_at: "2026-11-21T20:25:00.000Z",
  expires_at: null,
  status: "open",
  answer: null,
  answered_by: null,
  answered_by_name: null,
  resolved_at: null,
  asked_seq: 7,
  resolved_seq: null,
  contract: null,
});

const select = async (name: string) => {
  const choice = await screen.findByRole("radio", { name });
  await waitFor(() => expect(choice).toBeEnabled());
  await userEvent.click(choice);
};
const question = () => screen.findByRole("textbox", { name: "Question about the build" });
const message = () => screen.findByRole("combobox", { name: "Message or command" });

it("asks instead of sending a message only when that is selected", async () => {
  const sent = serving();
  setUp();
  await userEvent.type(await message(), "Why?");
  await select("Ask about the build");
  expect(await question()).toHaveValue("Why?");
  await userEvent.type(await question(), "{Enter}");
  await waitFor(async () => expect(await question()).toHaveValue(""));
  expect(sent).toEqual([{ path: "questions", body: { text: "Why?" } }]);
});

it("asks before it is known whether questions are available", async () => {
  let list = () => {};
  const sent = serving(null, new Promise((resolve) => (list = resolve)));
  setUp();
  await select("Ask about the build");
  await userEvent.type(await question(), "Why?{Enter}");
  await waitFor(() => expect(sent).toEqual([{ path: "questions", body: { text: "Why?" } }]));
  list();
  await waitFor(async () => expect(await question()).toHaveValue(""));
});

it("keeps text and recipient when the page is opened again", async () => {
  serving();
  localStorage.setItem(
    "forgeguard-draft::composer:b1",
    JSON.stringify({ mode: "question", text: "/pause?" }),
  );
  setUp();
  expect(await question()).toHaveValue("/pause?");
  await select("Message the builder");
  expect(await message()).toHaveValue("/pause?");
  const stored = localStorage.getItem("forgeguard-draft::composer:b1");
  expect(JSON.parse(stored ?? "")).toEqual({ mode: "message", text: "/pause?" });
});

it("does not take a stored message for the answer to an agent's question", async () => {
  const sent = serving();
  localStorage.setItem(
    "forgeguard-draft::composer:b1",
    JSON.stringify({ mode: "message", text: "Use tabs" }),
  );
  setUp({ open_clarifications: [asked("q1", "JWT or sessions?")] });
  await userEvent.type(await message(), "{Enter}");
  await waitFor(() => expect(sent).toEqual([{ path: "interject", body: { text: "Use tabs" } }]));
});

it("only asks about a finished build", async () => {
  serving();
  setUp({ status: "sealed" });
  expect(await question()).toBeEnabled();
  expect(screen.getByRole("radio", { name: "Message the builder" })).toBeDisabled();
});

it("shows why nothing can be sent to a finished build without a model", async () => {
  serving("Set OPENAI_API_KEY.");
  setUp({ status: "sealed" });
  expect(await screen.findByText("This build has ended. Set OPENAI_API_KEY.")).toBeInTheDocument();
  expect(screen.queryByRole("textbox")).toBeNull();
});

it("says why questions are not available", async () => {
  serving("Set OPENAI_API_KEY.");
  setUp();
  await userEvent.click(
    await screen.findByRole("button", { name: "Why questions are not available" }),
  );
  expect(await screen.findByText("Set OPENAI_API_KEY.")).toBeVisible();
  expect(screen.getByRole("radio", { name: "Ask about the build" })).toBeDisabled();
  expect(await message()).toBeEnabled();
});

it("answers a single question from the command line", async () => {
  const sent = serving();
  setUp({ status: "awaiting_input", open_clarifications: [asked("q1", "Which title?")] });
  expect(screen.getByRole("combobox", { name: "Your answer" })).toHaveFocus();
  await userEvent.keyboard("Greetings{Enter}");
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    path: "clarify",
    body: { question_id: "q1", answer: "Greetings" },
  });
});

it("answers several questions only in their own fields", async () => {
  const sent = serving();
  const questions = [asked("q1", "Which title?"), asked("q2", "Which name?")];
  setUp({ status: "awaiting_input", open_clarifications: questions });
  const line = await message();
  expect(line).not.toHaveFocus();
  fireEvent.change(line, { target: { value: "Hello" } });
  await userEvent.type(line, "{Enter}");
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.path).toBe("interject");
  const card = within(screen.getByRole("region", { name: "Which name?" }));
  await userEvent.type(card.getByRole("textbox"), "Ada{Enter}");
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toMatchObject({ question_id: "q2", answer: "Ada" });
});
