import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { ProjectRole } from "@/domain/project-access";
import type { Build, BuildQuestion, Generation } from "@/lib/api";
import { answering } from "@/testing/generations";
import { renderWithCache } from "@/testing/render";
import { AskView } from "./ask-panel";

afterEach(() => vi.unstubAllGlobals());

const build = { id: "b1", number: 3, project_id: "p1" } as Build;

const asked = (run: Partial<Generation>, given: Partial<BuildQuestion> = {}): BuildQuestion => ({
  build_id: "b1",
  question: "Why?",
  answer: null,
  references: [],
  generation: answering(run),
  ...given,
});

const show = (...items: BuildQuestion[]) =>
  renderWithCache(<AskView build={build} questions={{ items, unavailableReason: null }} />);

it("shows an answer with links to events and changed lines, and its cost", async () => {
  const usage = { turn: 2, turn_limit: 12, version: null, cache_read: 0, cache_write: 0 };
  show(
    asked(
      {
        status: "done",
        answers: { ...usage, tokens_in: 2_000, tokens_out: 100, cost_usd_micros: 20_000 },
      },
      {
        answer: "**Because.** <script>alert(1)</script>",
        references: [
          { type: "event", seq: 12 },
          line("src/a b.js", true),
          line("README.md", false),
        ],
      },
    ),
  );
  expect(await screen.findByText("Because.")).toBeInTheDocument();
  expect(document.querySelector("script")).toBeNull();
  const target = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  expect(target("Event #12")).toBe("/projects/p1/builds/3#12");
  const changes = "/projects/p1/builds/3?tab=changes&file=src%2Fa+b.js&line=R3";
  expect(target("src/a b.js:3–5")).toBe(changes);
  expect(screen.getByText(/README\.md:3–5 at abcdef12, unchanged/)).toBeInTheDocument();
  expect(screen.getByText("m-1 · 2.1K tokens · $0.02")).toBeInTheDocument();
});

const line = (path: string, changed: boolean) => ({
  type: "lines" as const,
  path,
  first_line: 3,
  last_line: 5,
  commit: "abcdef1234",
  changed,
});

it("says that the price is unknown", () => {
  const answers = { ...answering().answers, tokens_in: 10, cost_usd_micros: null };
  show(asked({ status: "running", answers: answers as Generation["answers"] }));
  expect(screen.getByText(/price unknown/)).toBeInTheDocument();
});

it("tries a failed question again and stops one that is being answered", async () => {
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(new URL(request.url).pathname);
    return Response.json(answering());
  });
  show(
    asked({ id: "g1", status: "failed", failure: "The model is overloaded." }),
    asked({ id: "g2", status: "queued" }, { question: "When?" }),
  );
  const failed = screen.getByRole("article", { name: "Why?" });
  expect(failed).toHaveTextContent("The model is overloaded.");
  await userEvent.click(within(failed).getByRole("button", { name: "Try again" }));
  const queued = screen.getByRole("article", { name: "When?" });
  expect(within(queued).getByRole("status")).toHaveTextContent("Queued");
  await userEvent.click(within(queued).getByRole("button", { name: "Stop answer" }));
  expect(sent).toEqual(["/api/generations/g1/resume", "/api/generations/g2/cancel"]);
});

it("shows viewers the questions without commands", () => {
  const owner = { id: "u1", name: "Ada" };
  renderWithCache(
    <ProjectRole value={{ role: "viewer", owner }}>
      <AskView
        build={build}
        questions={{ items: [asked({ status: "failed" })], unavailableReason: null }}
      />
    </ProjectRole>,
  );
  expect(screen.getByRole("article", { name: "Why?" })).toBeInTheDocument();
  expect(screen.queryByRole("button")).not.toBeInTheDocument();
});

it("explains what can be asked, or why nothing can", () => {
  show();
  expect(screen.getByText(/why something was done/)).toBeInTheDocument();
  renderWithCache(
    <AskView build={build} questions={{ items: [], unavailableReason: "Set OPENAI_API_KEY." }} />,
  );
  expect(screen.getByText("Set OPENAI_API_KEY.")).toBeInTheDocument();
});
