// API helpers and page objects of contract generation.
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

/** A project with all required answers, and the addresses of its contracts. */
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
  const panel = page.getByRole("region", { name: "Contract generation" });
  const nine = page.getByRole("region", { name: "All contracts" });
  return {
    panel,
    nine,
    /** The row of a contract. */
    row: (name: string) =>
      nine.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) }),
    title: (name: string | RegExp) => panel.getByRole("heading", { name }),
    write: page.getByRole("button", { name: "Generate contracts" }),
    cancel: panel.getByRole("button", { name: "Cancel" }),
    resume: panel.getByRole("button", { name: "Continue" }),
    again: page.getByRole("button", { name: "Regenerate" }),
    reconnecting: page.getByText("Reconnecting…"),
  };
}
