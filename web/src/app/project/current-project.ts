// The project whose pages are shown.
import { useOutletContext } from "react-router";
import type { Project } from "@/lib/api";

/** On pages inside the project's layout. */
export const useCurrentProject = () => useOutletContext<Project>();
