import { useParams } from "react-router";
import { ReviewPage } from "@/features/reviews/review-page";

export default function ReviewRoute() {
  const { buildId = "" } = useParams();
  return <ReviewPage key={buildId} buildId={buildId} />;
}
