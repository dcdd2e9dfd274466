import { beforeEach, expect, it, vi } from "vitest";
import { createUnsavedAnswers } from "./answers/unsaved-answers";
import { createMessageDraft } from "./conversation/message-draft";
import { startFromDescription } from "./start-from-description";

beforeEach(() => localStorage.clear());

/** Responds by method; missing methods fail. */
function server(answers: Partial<Record<"GET" | "POST", () => Response>>) {
  const asked: { method: string; body: string }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push({ method: request.method, body: await request.text() });
    const answer = answers[request.method as "GET" | "POST"];
    if (!answer) throw new TypeError("Failed to fetch");
    return answer();
  });
  return asked;
}
const interview = (available: boolean) => () =>
  Response.json({ messages: [], available, generation: null });
const unsaved = () =>
  createUnsavedAnswers("p1").read({ size: "full", answers: {}, version: 0 } as never);

it("sends the description to the model if there is one", async () => {
  const asked = server({ GET: interview(true), POST: interview(true) });
  expect(await startFromDescription("p1", " It counts. ")).toBe(
    "/projects/p1/questionnaire/conversation",
  );
  expect(asked.at(-1)).toEqual({ method: "POST", body: '{"text":"It counts."}' });
  expect(createMessageDraft("p1").read()).toBeNull();
});

it("keeps the description in the message field if sending fails", async () => {
  server({ GET: interview(true) });
  expect(await startFromDescription("p1", "It counts.")).toBe(
    "/projects/p1/questionnaire/conversation",
  );
  expect(createMessageDraft("p1").read()).toBe("It counts.");
});

it.each([
  ["there is no model", { GET: interview(false) }],
  ["the server does not respond", {}],
])("is the form's first answer where %s", async (_, answers) => {
  server(answers);
  const path = await startFromDescription("p1", "It counts.");
  expect(path).toBe("/projects/p1/questionnaire/product_intent");
  expect(unsaved()?.draft).toEqual({
    size: "full",
    answers: { "product_intent.summary": "It counts." },
  });
});
