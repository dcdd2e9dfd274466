import { SegmentedControl } from "@mantine/core";
import type { QuestionnaireSize } from "@/lib/api";
import classes from "./questionnaire.module.css";
import type { AnswersForm } from "./use-answers";

const SIZES: { value: QuestionnaireSize; label: string }[] = [
  { value: "full", label: "Full form" },
  { value: "mini", label: "Mini form" },
];

/** How much is asked. The server says which sections that are. */
export function SizeSwitch({ form }: { form: AnswersForm }) {
  const { draft } = form.state;
  return (
    <SegmentedControl
      aria-label="How much is asked"
      className={classes.switch}
      data={SIZES}
      value={draft.size}
      onChange={(size) => {
        form.saver.type({ ...draft, size });
        void form.saver.flush();
      }}
    />
  );
}
