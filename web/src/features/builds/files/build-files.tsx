import { useNavigate } from "react-router";
import { shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useBuild } from "../api";
import { useCommits } from "../changes/api";
import { CommitSelect } from "../changes/commit-select";
import { BranchFiles } from "./branch-files";

interface BuildFilesProps {
  project: string;
  /** The number of the build, or its id, as in the address. */
  build: string;
  buildId: string;
  commit: string;
  /** Empty while no file is chosen. */
  path: string;
}

/** The files of a build's branch at one of its commits. */
export function BuildFiles({ project, build: ref, buildId, commit, path }: BuildFilesProps) {
  const build = String(useBuild(buildId).data?.number ?? ref);
  const navigate = useNavigate();
  const commits = useCommits(buildId).data ?? [];
  const isListed = commits.some(({ sha }) => sha === commit);
  const first = { value: commit, label: `${shortSha(commit)} Baseline` };
  return (
    <BranchFiles
      source={{ of: "builds", build: buildId, commit }}
      path={path}
      title={`Files of build #${build}`}
      back={{ to: paths.build(project, build, "changes"), label: `Build #${build}` }}
      pathTo={(file) => paths.buildFile(project, build, commit, file)}
      commitSelect={
        <CommitSelect
          commits={isListed ? commits.slice(1) : commits}
          first={
            isListed && commits[0]
              ? {
                  value: commits[0].sha,
                  label: `${shortSha(commits[0].sha)} ${commits[0].title}`,
                }
              : first
          }
          value={commit}
          onChange={(to) => navigate(paths.buildFile(project, build, to, path))}
        />
      }
    />
  );
}
