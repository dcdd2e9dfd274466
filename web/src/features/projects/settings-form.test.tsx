import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { ProjectSettings } from "@/lib/api";
import { renderWithCache } from "@/testing/render";
import { SettingsForm } from "./settings-form";

const INHERITED = { iterations: 10, clarifications: 10, doom_loop: 3 };

const settings = {
  gates: [],
  permissions: [],
  clarification_timeout_s: 600,
} as unknown as ProjectSettings;

beforeEach(() => {
  vi.stubGlobal("fetch", async (request: Request) =>
    request.method === "PUT"
      ? Response.json(await request.json())
      : Response.json({ items: [], built_in: [], installation: [] }),
  );
});

const show = () =>
  renderWithCache(
    <SettingsForm
      projectId="p1"
      settings={settings}
      inherited={INHERITED}
      installationLimits={{}}
    />,
  );
const waits = () => screen.getByRole("switch", { name: "Wait indefinitely" });

it("restores unsaved changes", async () => {
  show();
  await userEvent.click(waits());
  cleanup();
  show();
  expect(waits()).toBeChecked();
  expect(screen.getByText("Your unsaved changes were restored.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Save settings" })).toBeEnabled();
});

it("discards restored changes on request", async () => {
  show();
  await userEvent.click(waits());
  cleanup();
  show();
  await userEvent.click(screen.getByRole("button", { name: "Discard changes" }));
  expect(waits()).not.toBeChecked();
  cleanup();
  show();
  expect(screen.queryByText("Your unsaved changes were restored.")).not.toBeInTheDocument();
});

it("restores nothing after saving", async () => {
  show();
  await userEvent.click(waits());
  await userEvent.click(screen.getByRole("button", { name: "Save settings" }));
  await vi.waitFor(() =>
    expect(screen.getByRole("button", { name: "Save settings" })).toBeDisabled(),
  );
  cleanup();
  show();
  expect(screen.queryByText("Your unsaved changes were restored.")).not.toBeInTheDocument();
});

it("saves the path of a gate's test report", async () => {
  const gate = {
    name: "test",
    command: "make test",
    timeout_s: 60,
    required: true,
    network: false,
  };
  let saved: ProjectSettings | undefined;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method !== "PUT")
      return Response.json({ items: [], built_in: [], installation: [] });
    saved = await request.json();
    return Response.json(saved);
  });
  renderWithCache(
    <SettingsForm
      projectId="p2"
      settings={{ ...settings, gates: [gate] }}
      inherited={INHERITED}
      installationLimits={{}}
    />,
  );
  const report = screen.getByRole("textbox", { name: "Test report" });
  await userEvent.type(report, "../report.xml");
  await userEvent.click(screen.getByRole("button", { name: "Save settings" }));
  expect(screen.getByText("Enter a path in the project, such as report.xml")).toBeVisible();
  await userEvent.clear(report);
  await userEvent.type(report, "report.xml");
  await userEvent.click(screen.getByRole("button", { name: "Save settings" }));
  await vi.waitFor(() => expect(saved?.gates?.[0]?.report).toBe("report.xml"));
});

it("saves when pull requests are opened, and for whom", async () => {
  let saved: ProjectSettings | undefined;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method !== "PUT")
      return Response.json({ items: [], built_in: [], installation: [] });
    saved = await request.json();
    return Response.json(saved);
  });
  sessionStorage.clear();
  show();
  expect(screen.getByRole("radio", { name: /When I click/ })).toBeChecked();
  await userEvent.click(screen.getByRole("radio", { name: "As soon as a build is sealed" }));
  await userEvent.type(screen.getByRole("combobox", { name: "Reviewers" }), "alex{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Save settings" }));
  await vi.waitFor(() =>
    expect(saved?.delivery).toEqual({
      when: "at_seal",
      draft_unless_certified: true,
      labels: [],
      reviewers: ["alex"],
    }),
  );
});
