import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { renderWithCache } from "@/testing/render";
import { type Remote, useAcceptsPushedHistory, useRemote } from "./api";

function Shown() {
  const { isSuccess } = useRemote("p1");
  const isReplaced = useAcceptsPushedHistory("p1");
  if (!isSuccess) return "Loading";
  return isReplaced ? "A push replaces it" : "It is kept";
}

const remote = { url: "https://code.example.org/me/shelf.git" } as Remote;

it.each([
  [{ remote: null, accepts_history: true }, "A push replaces it"],
  [{ remote: null, accepts_history: false }, "It is kept"],
  [{ remote, accepts_history: true }, "It is kept"],
])("offers the first push only to a project without history: %j", async (answer, shown) => {
  vi.stubGlobal("fetch", async () => Response.json(answer));
  renderWithCache(<Shown />);
  expect(await screen.findByText(shown)).toBeVisible();
});
