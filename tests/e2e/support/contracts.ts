// API helpers and page objects of contracts.
import type { Page } from "@playwright/test";
import type { Api } from "./api";

interface Contract {
  version: number;
  content: string;
  source: string;
}

/** The demo's contracts. */
export async function demoContracts(api: Api) {
  const project = await api.demo();
  const path = (type: string) => `/api/projects/${project}/contracts/${type}`;
  return {
    page: `/projects/${project}/contracts`,
    read: (type: string) => api.get<Contract>(path(type)),
    /** Saves over the current version, as another user would. */
    write: (type: string, content: string) => api.put<Contract>(path(type), { content }),
  };
}

export function contract(page: Page) {
  return {
    tab: (name: string) => page.getByRole("tab", { name, exact: true }),
    text: page.getByRole("textbox", { name: / as (markdown|yaml|json)$/ }),
    editor: page.getByRole("textbox", { name: / to edit$/ }),
    versions: page.getByRole("list", { name: "Versions" }).getByRole("listitem"),
    changes: page.getByRole("region", { name: /^Changes in/ }),
    findings: page.getByRole("region", { name: "Findings" }),
    nine: page.getByRole("region", { name: "All contracts" }),
    problem: page.locator(".cm-problem"),
    marked: page.locator(".cm-marked"),
  };
}
