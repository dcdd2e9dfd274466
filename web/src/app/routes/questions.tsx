import { usePageTitle } from "@/domain/use-page-title";
import { QuestionList } from "@/features/builds/clarifications/question-list";

export default function QuestionsPage() {
  usePageTitle("Questions");
  return <QuestionList />;
}
