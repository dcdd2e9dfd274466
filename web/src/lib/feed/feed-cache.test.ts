import { expect, it } from "vitest";
import type { Build } from "@/lib/api";
import { event } from "@/testing/events";
import { patchBuild } from "./feed-cache";

const build = { id: "b1", status: "running", open_question: null } as unknown as Build;

it("shows a question at once, and takes away only the one that was settled", () => {
  const request = event(1, "build_clarification_request", {
    question_id: "q1",
    question: "JWT?",
    options: ["Yes"],
  });
  const asking = patchBuild(build, request);
  expect(asking).toMatchObject({
    status: "awaiting_input",
    open_question: { id: "q1", options: ["Yes"] },
  });
  expect(
    patchBuild(asking, event(2, "build_clarification_resolved", { question_id: "other" })),
  ).toBe(asking);
  const settled = patchBuild(
    asking,
    event(2, "build_clarification_resolved", { question_id: "q1" }),
  );
  expect(settled).toMatchObject({ status: "running", open_question: null });
});
