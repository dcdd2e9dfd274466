// What whoever looks may do with the project on the page.
import { createContext, useContext } from "react";
import type { Project } from "./api";

/** Outside a project's pages everybody is their own owner. */
const Role = createContext<Pick<Project, "role" | "owner"> | undefined>(undefined);

export const ProjectRole = Role.Provider;

/** Whether they may change it; who was let in to look may not, and is not offered to. */
export const useMayChange = (): boolean => useContext(Role)?.role !== "viewer";

/** Whose project it is, where it is somebody else's. */
export function useOtherOwner(): string | null {
  const project = useContext(Role);
  return project?.role === "viewer" ? project.owner.name : null;
}
