import { usePageTitle } from "@/domain/use-page-title";
import { AllBacklogsPage } from "@/features/backlog/all-backlogs-page";

export default function AllBacklogs() {
  usePageTitle("Backlogs");
  return <AllBacklogsPage />;
}
