import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { keys } from "@/lib/query-keys";
import { SettingsForm } from "./settings-form";

const gate = { timeout_s: 900, required: true, network: false };
const FOUND = {
  sha: "0123456789abcdef0123456789abcdef01234567",
  branch: "main",
  items: [
    { ...gate, name: "test", command: "npm test", reason: "package.json has a script test" },
    { ...gate, name: "lint", command: "npm run lint", required: false, reason: "a script lint" },
  ],
};

beforeEach(() => {
  vi.stubGlobal("fetch", () => Promise.reject(new Error("nothing is sent")));
});

function show(gates: object[], detect_gates = true) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(keys.detectedGates("p"), FOUND);
  const settings = { gates, detect_gates, clarification_timeout_s: null, permissions: [] };
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <SettingsForm
          projectId="p"
          settings={settings as never}
          inherited={{} as never}
          installationLimits={{}}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
  return screen.getByRole("region", { name: "Detected in the repository" });
}

it("shows the reason of each suggestion and adds it to the unsaved list", async () => {
  const detected = show([]);
  expect(within(detected).getByText("package.json has a script test")).toBeVisible();
  expect(within(detected).getByText("The next build uses the 2 detected gates.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Save settings" })).toBeDisabled();

  await userEvent.click(within(detected).getByRole("button", { name: "Add lint" }));
  const gates = within(screen.getByRole("region", { name: "Gates" }));
  expect(gates.getByRole("textbox", { name: "Command" })).toHaveValue("npm run lint");
  expect(gates.getByRole("checkbox", { name: "Required" })).not.toBeChecked();
  expect(within(detected).getByRole("button", { name: "Added lint" })).toBeDisabled();
  expect(within(detected).getByText("The next build uses your own gate.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Save settings" })).toBeEnabled();
});

it("says that only built-in checks run if suggestions are disabled", async () => {
  const detected = show([]);
  await userEvent.click(within(detected).getByRole("switch"));
  expect(within(detected).getByText("The next build uses only the built-in checks.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Save settings" })).toBeEnabled();
});
