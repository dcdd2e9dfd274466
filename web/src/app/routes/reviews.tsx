import { ReviewQueue } from "@/features/reviews/review-queue";
import { useTitle } from "@/lib/use-title";

export default function ReviewsPage() {
  useTitle("Reviews");
  return <ReviewQueue />;
}
