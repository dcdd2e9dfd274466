import { paths } from "@/lib/paths";
import { BranchFiles } from "./branch-files";

interface ReviewFilesProps {
  buildId: string;
  commit: string;
  /** Empty while no file is chosen. */
  path: string;
}

/** The files of a build under review at its sealed commit. */
export function ReviewFiles({ buildId, commit, path }: ReviewFilesProps) {
  return (
    <BranchFiles
      source={{ of: "reviews", build: buildId, commit }}
      path={path}
      title="Files under review"
      back={{ to: paths.review(buildId), label: "Review" }}
      pathTo={(file) => paths.reviewFile(buildId, commit, file)}
    />
  );
}
