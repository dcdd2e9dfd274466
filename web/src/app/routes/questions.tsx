import { QuestionList } from "@/features/clarifications/question-list";
import { useTitle } from "@/lib/use-title";

export default function QuestionsPage() {
  useTitle("Questions");
  return <QuestionList />;
}
