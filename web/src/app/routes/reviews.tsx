import { usePageTitle } from "@/domain/use-page-title";
import { ReviewQueue } from "@/features/reviews/review-queue";

export default function ReviewsPage() {
  usePageTitle("Reviews");
  return <ReviewQueue />;
}
