import { paths } from "@/lib/paths";

/** The command that clones a project's repository, at a branch if there is one. */
export function cloneCommand(projectId: string, branch?: string | null): string {
  const url = location.origin + paths.repository(projectId);
  return branch ? `git clone -b ${branch} ${url}` : `git clone ${url}`;
}
