// Starts a project from a description: a model replies to it, or it becomes the form's first answer.
import { newIdempotencyKey } from "@/lib/idempotency-key";
import { paths } from "@/lib/paths";
import { keyOf } from "./answers/draft";
import { createUnsavedAnswers } from "./answers/unsaved-answers";
import { fetchQuestionnaire, saveAnswers } from "./api";
import { fetchInterview, sendMessage } from "./conversation/interview-api";
import { createMessageDraft } from "./conversation/message-draft";

const FIRST = { section: "product_intent", question: "summary" };

/** Returns the path to continue at. If something fails, the description is kept for a retry. */
export async function startFromDescription(project: string, words: string): Promise<string> {
  const talks = await fetchInterview(project).then(
    ({ available }) => available,
    () => false,
  );
  return talks ? startTalk(project, words) : startForm(project, words);
}

async function startTalk(project: string, words: string): Promise<string> {
  const draft = createMessageDraft(project);
  draft.write(words);
  try {
    await sendMessage(project, words.trim(), newIdempotencyKey());
    draft.clear();
  } catch {
    // The next page shows the description in its message field.
  }
  return paths.conversation(project);
}

async function startForm(project: string, words: string): Promise<string> {
  const answers = { [keyOf(FIRST.section, FIRST.question)]: words };
  const draft = { size: "full" as const, answers };
  const path = paths.questionnaire(project, FIRST.section);
  const loaded = { size: draft.size, answers: {}, version: 0 };
  // The form loads and saves the stored draft.
  if (createUnsavedAnswers(project).keep(draft, loaded)) return path;
  // Storage is unavailable.
  const { version } = await fetchQuestionnaire(project);
  await saveAnswers(project, draft, version);
  return path;
}
