import type { Project } from "@/lib/api";

export type ProjectOrder = "new" | "active" | "name";

export const PROJECT_ORDERS: { value: ProjectOrder; label: string }[] = [
  { value: "new", label: "Newest" },
  { value: "active", label: "Recently active" },
  { value: "name", label: "Name" },
];

const lastActive = ({ last_build, updated_at }: Project) =>
  Math.max(Date.parse(updated_at), Date.parse(last_build?.created_at ?? updated_at));

const COMPARE: Record<ProjectOrder, (a: Project, b: Project) => number> = {
  // The server's order.
  new: () => 0,
  active: (a, b) => lastActive(b) - lastActive(a),
  name: (a, b) => a.name.localeCompare(b.name),
};

/** The projects whose name or description contains every searched word, in this order. */
export function findProjects(projects: Project[], search: string, order: ProjectOrder): Project[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ name, description }: Project) => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return projects.filter(matches).sort(COMPARE[order]);
}
