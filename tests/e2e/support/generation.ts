// Contracts as they are written, by the names that people and screen readers find the parts by.
import type { Page } from "@playwright/test";
import type { Api } from "./api";
import { newProject } from "./questionnaire";

const ANSWERS = {
  product_intent: {
    summary: "It keeps notes on what grows where.",
    users: "Gardeners",
    features: ["A gardener notes what was sown", "A neighbour sees what needs water"],
  },
  tech_stack: { language: "Python" },
  database_schema: { storage: "Files", entities: ["Bed: name, soil", "Note: text, bed"] },
  api_endpoints: { style: "Command line" },
  ui_requirements: { kind: "A terminal" },
  deployment_target: { target: "A person's own computer" },
  dev_platform: { system: "Linux", test_command: "python -m unittest" },
};

/** A project with everything answered that is needed, and where its contracts are. */
export async function answeredProject(api: Api) {
  const project = await newProject(api);
  await project.write(ANSWERS);
  const path = `/api/projects/${project.id}/contracts`;
  return {
    id: project.id,
    page: `/projects/${project.id}/contracts`,
    review: `${project.page}/review`,
    generate: () => api.post<{ id: string }>(`${path}/generate`),
    read: (type: string) =>
      api.get<{ version: number; source: string; content: string }>(`${path}/${type}`),
    /** Newest first. */
    runs: async () =>
      (
        await api.get<{ items: { id: string; status: string }[] }>(
          `/api/projects/${project.id}/generations`,
        )
      ).items,
  };
}

export function generation(page: Page) {
  const panel = page.getByRole("region", { name: "Writing contracts" });
  const nine = page.getByRole("region", { name: "The nine" });
  return {
    panel,
    nine,
    /** The row of one contract. */
    row: (name: string) =>
      nine.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) }),
    title: (name: string | RegExp) => panel.getByRole("heading", { name }),
    write: page.getByRole("button", { name: "Write the contracts" }),
    cancel: panel.getByRole("button", { name: "Cancel" }),
    goOn: panel.getByRole("button", { name: "Go on" }),
    again: page.getByRole("button", { name: "Write again" }),
    reconnecting: page.getByText("Reconnecting…"),
  };
}
