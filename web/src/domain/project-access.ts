// What the signed-in user may do with the current project.
import { createContext, useContext } from "react";
import type { Project } from "@/lib/api";

type Access = Pick<Project, "role" | "owner"> & Partial<Pick<Project, "archived_at">>;

/** Undefined outside a project's pages; null while the project is loading. */
const Role = createContext<Access | null | undefined>(undefined);

export const ProjectRole = Role.Provider;

/** Null until it is known. An archived project cannot be edited. */
export function useAccess(): "owner" | "viewer" | null {
  const project = useContext(Role);
  if (project === null) return null;
  return project?.role === "viewer" || project?.archived_at ? "viewer" : "owner";
}

export const useCanEdit = (): boolean => useAccess() === "owner";

/** The owner's name if the signed-in user is a viewer. */
export function useOtherOwner(): string | null {
  const project = useContext(Role);
  return project?.role === "viewer" ? project.owner.name : null;
}
