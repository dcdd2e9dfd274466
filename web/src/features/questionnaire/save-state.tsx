import { Anchor, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { Link } from "react-router";
import { formatMinute, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { ApiError, messageOf } from "@/lib/problem";
import { questionAt } from "./draft";
import { errorsOf } from "./errors-of";
import type { AnswersForm, AnswersState } from "./use-answers";

/** Whether what was typed is safe, and what to do where it is not. */
export function SaveState({ form }: { form: AnswersForm }) {
  const { state, saver } = form;
  const { online } = useNetwork();
  const bad = state.status === "failed" || state.status === "conflict";
  return (
    <div>
      <Text fz="xs" c={bad ? "var(--mantine-color-error)" : "dimmed"} data-status={state.status}>
        {wordsOf(state, online)}{" "}
        {state.status === "failed" && (
          <Anchor
            component="button"
            type="button"
            fz="xs"
            underline="always"
            onClick={() => void saver.flush()}
          >
            Try again
          </Anchor>
        )}
      </Text>
      {state.status === "failed" && <Refused form={form} />}
      <span role="status" className="visually-hidden">
        {spoken(state, online)}
      </span>
    </div>
  );
}

/** The way to each answer that the server did not take. */
function Refused({ form }: { form: AnswersForm }) {
  const { sections } = form.state.saved;
  return Object.entries(errorsOf(form.state.error)).map(([key, reason]) => {
    const [section = "", question] = key.split(".");
    return (
      <Text key={key} fz="xs" mt={4} c="var(--mantine-color-error)">
        <Anchor
          component={Link}
          inherit
          to={paths.questionnaire(form.projectId, section, question)}
        >
          {questionAt(sections, key)?.label ?? key}
        </Anchor>{" "}
        {reason}
      </Text>
    );
  });
}

function wordsOf(state: AnswersState, online: boolean): string {
  const { status, saved, error, kept } = state;
  if (status === "saved")
    return saved.updated_at ? `Saved ${formatMinute(saved.updated_at)}` : "Saves by itself";
  if (status === "conflict") return "Not saved: changed in another window too.";
  const where = kept ? "Your text is kept in this browser." : "Keep this page open.";
  if (!online) return `Offline. ${where} It is saved once you are back.`;
  if (status !== "failed") return "Saving…";
  const refused = Object.keys(errorsOf(error)).length;
  const why =
    refused > 0 ? `${plural(refused, "answer")} cannot be saved as it stands.` : reason(error);
  return `Could not save: ${why} ${where}`;
}

/** Says less than is shown: that all is saved is told once, not after each word. */
function spoken(state: AnswersState, online: boolean): string {
  if (state.status === "failed" || state.status === "conflict") return wordsOf(state, online);
  if (!online && state.status !== "saved") return wordsOf(state, online);
  return state.saved.updated_at ? "Saved" : "";
}

const reason = (error: unknown) =>
  error instanceof ApiError && error.status >= 500
    ? "the server could not do it."
    : lowerFirst(messageOf(error));

/** Goes on a sentence, unless it begins with a name. */
const lowerFirst = (text: string) =>
  text.startsWith("ForgeGuard") ? text : text.charAt(0).toLowerCase() + text.slice(1);
