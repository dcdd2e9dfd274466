import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { ConnectEditor } from "./connect-editor";
import { editorSnippets } from "./editor-snippets";

test("every client is configured with the address of this server and no real key", () => {
  const snippets = editorSnippets("https://forge.example");
  expect(snippets.map(({ label }) => label)).toEqual([
    "Claude Code",
    "Codex",
    "opencode",
    "Cursor",
    "VS Code",
    "Zed",
  ]);
  for (const { id, text } of snippets) {
    expect(text).toContain("https://forge.example/mcp");
    if (!["claude", "codex"].includes(id)) expect(() => JSON.parse(text)).not.toThrow();
  }
});

test("the configuration follows the chosen client", async () => {
  const user = userEvent.setup();
  renderInApp(<ConnectEditor />);
  expect(screen.getByRole("region", { name: "Configuration for Claude Code" })).toHaveTextContent(
    "claude mcp add --transport http forgeguard",
  );
  await user.click(screen.getByRole("combobox", { name: "Client" }));
  await user.click(await screen.findByRole("option", { name: "VS Code" }));
  expect(screen.getByRole("region", { name: "Configuration for VS Code" })).toHaveTextContent(
    "promptString",
  );
  expect(screen.getByRole("button", { name: "Copy configuration for VS Code" })).toBeVisible();
});
