import { useParams } from "react-router";
import { ReviewFiles } from "@/features/builds/files/review-files";

export default function ReviewFilesRoute() {
  const { buildId = "", commit = "", "*": path = "" } = useParams();
  return <ReviewFiles buildId={buildId} commit={commit} path={path} />;
}
