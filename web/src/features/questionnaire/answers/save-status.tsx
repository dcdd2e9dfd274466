import { Anchor, Text, VisuallyHidden } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { Link } from "react-router";
import { ApiError, messageOf } from "@/lib/api-error";
import { formatMinute, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { questionAt } from "./draft";
import { fieldErrors } from "./field-errors";
import type { AnswersForm, AnswersState } from "./use-answers";

/** Whether the answers are saved, and what to do if not. */
export function SaveStatus({ form }: { form: AnswersForm }) {
  const { state, saver } = form;
  const { online } = useNetwork();
  const bad = state.status === "failed" || state.status === "conflict";
  return (
    <div>
      <Text fz="xs" c={bad ? "var(--mantine-color-error)" : "dimmed"} data-status={state.status}>
        {statusLabel(state, online)}{" "}
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
      <VisuallyHidden component="span" role="status">
        {spoken(state, online)}
      </VisuallyHidden>
    </div>
  );
}

/** Links to the answers that the server rejected. */
function Refused({ form }: { form: AnswersForm }) {
  const { sections } = form.state.saved;
  return Object.entries(fieldErrors(form.state.error)).map(([key, reason]) => {
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

function statusLabel(state: AnswersState, online: boolean): string {
  const { status, saved, error, kept } = state;
  if (status === "saved")
    return saved.updated_at ? `Saved ${formatMinute(saved.updated_at)}` : "Saved automatically";
  if (status === "conflict") return "Not saved: also changed in another window.";
  const where = kept ? "Your changes are kept in this browser." : "Keep this page open.";
  if (!online) return `Offline. ${where} They are saved when you are back online.`;
  if (status !== "failed") return "Saving…";
  const refused = Object.keys(fieldErrors(error)).length;
  const why = refused > 0 ? `${plural(refused, "answer")} could not be saved.` : reason(error);
  return `Could not save: ${why} ${where}`;
}

/** Announces less than is displayed: not every save. */
function spoken(state: AnswersState, online: boolean): string {
  if (state.status === "failed" || state.status === "conflict") return statusLabel(state, online);
  if (!online && state.status !== "saved") return statusLabel(state, online);
  return state.saved.updated_at ? "Saved" : "";
}

const reason = (error: unknown) =>
  error instanceof ApiError && error.status >= 500 ? "server error." : lowerFirst(messageOf(error));

/** Lower-cases the first letter, unless it is part of a name. */
const lowerFirst = (text: string) =>
  text.startsWith("ForgeGuard") ? text : text.charAt(0).toLowerCase() + text.slice(1);
