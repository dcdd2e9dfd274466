// Page objects of the questionnaire.
import type { Page } from "@playwright/test";
import type { Api } from "./api";

export interface Questionnaire {
  size: string;
  answers: Record<string, Record<string, string | string[]>>;
  version: number;
}

/** A project without answers, with the addresses of its questionnaire. */
export async function newProject(api: Api, name = "Garden diary") {
  const { id } = await api.post<{ id: string }>("/api/projects", { name, description: "" });
  const path = `/api/projects/${id}/questionnaire`;
  return {
    id,
    page: `/projects/${id}/questionnaire`,
    read: () => api.get<Questionnaire>(path),
    /** Writes answers as another window would. */
    write: async (answers: Questionnaire["answers"], size = "full") => {
      const { version } = await api.get<Questionnaire>(path);
      return api.put<Questionnaire>(path, { size, answers, version });
    },
  };
}

export function questionnaire(page: Page) {
  return {
    summary: page.getByRole("textbox", { name: "What should it do?" }),
    users: page.getByRole("textbox", { name: "Who will use it?" }),
    list: (question: string) => page.getByRole("group", { name: question }),
    choice: (question: string) => page.getByRole("radiogroup", { name: question }),
    steps: page.getByRole("navigation", { name: "Steps", exact: true }),
    progress: page.getByRole("complementary", { name: "Progress" }),
    step: (name: string) => page.getByRole("heading", { name, level: 2 }),
    saved: page.getByRole("complementary").getByText(/^Saved \d/),
    next: page.getByRole("link", { name: /^(Next:|Review answers)/ }),
  };
}
