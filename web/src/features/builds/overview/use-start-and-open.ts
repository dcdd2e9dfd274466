import { useNavigate } from "react-router";
import type { StartOptions } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useStartBuild } from "../api";

/** Starts a build and opens it. */
export function useStartAndOpen(projectId: string) {
  const start = useStartBuild(projectId);
  const navigate = useNavigate();
  return async (options: StartOptions) => {
    const build = await start.mutateAsync(options);
    navigate(paths.build(projectId, build.number));
  };
}
