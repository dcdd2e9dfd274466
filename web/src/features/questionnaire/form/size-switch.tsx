import { SegmentedControl } from "@mantine/core";
import type { QuestionnaireSize } from "@/lib/api";
import type { AnswersForm } from "../answers/use-answers";

const SIZES: { value: QuestionnaireSize; label: string }[] = [
  { value: "full", label: "Full form" },
  { value: "mini", label: "Short form" },
];

/** Switches between the short and the full questionnaire. */
export function SizeSwitch({ form }: { form: AnswersForm }) {
  const { draft } = form.state;
  return (
    <SegmentedControl
      aria-label="Form length"
      bg="var(--surface)"
      bd="1px solid var(--line)"
      data={SIZES}
      value={draft.size}
      onChange={(size) => {
        form.saver.type({ ...draft, size });
        void form.saver.flush();
      }}
    />
  );
}
