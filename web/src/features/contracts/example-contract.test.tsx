import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Contract, ContractSummary } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { ContractBody } from "./contract-body";
import { ContractRows } from "./contract-rows";

const summary = (type: string, source: string) =>
  ({ type, source, version: source === "template" ? 0 : 2, tokens: 1_200 }) as ContractSummary;

it("lists an example contract without its tokens", () => {
  renderWithCache(
    <ContractRows
      projectId="p1"
      contracts={[summary("stack", "template"), summary("ui", "project")]}
    />,
  );
  const [stack, ui] = screen.getAllByRole("link");
  expect(stack).toHaveTextContent("Not written yet");
  expect(stack).not.toHaveTextContent("tokens");
  expect(ui).toHaveTextContent("1.2K tokens");
});

it("shows the example only on request", async () => {
  const contract = {
    type: "stack",
    source: "template",
    version: 0,
    format: "markdown",
    content: "# Example",
    updated_at: null,
  } as unknown as Contract;
  renderWithCache(<ContractBody projectId="p1" contract={contract} />);
  expect(screen.getByRole("heading", { name: "Not written yet" })).toBeVisible();
  expect(screen.queryByRole("tab", { name: "Document" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Show example" }));
  expect(screen.getByRole("tab", { name: "Document" })).toBeVisible();
});
