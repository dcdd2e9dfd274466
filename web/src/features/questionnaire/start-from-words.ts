// A new project begins with what somebody said of it: answered by a model, or as the form's first answer.
import { newKey } from "@/lib/new-key";
import { paths } from "@/lib/paths";
import { fetchQuestionnaire, saveAnswers } from "./api";
import { keyOf } from "./draft";
import { fetchInterview, say } from "./interview-api";
import { createMessageDraft } from "./message-draft";
import { createUnsavedAnswers } from "./unsaved";

const FIRST = { section: "product_intent", question: "summary" };

/** Gives where to go on. Whatever fails, the words stand there, ready to be sent or saved again. */
export async function startFromWords(project: string, words: string): Promise<string> {
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
    await say(project, words.trim(), newKey());
    draft.clear();
  } catch {
    // The page that comes next shows the words in its field.
  }
  return paths.conversation(project);
}

async function startForm(project: string, words: string): Promise<string> {
  const answers = { [keyOf(FIRST.section, FIRST.question)]: words };
  const draft = { size: "full" as const, answers };
  const path = paths.questionnaire(project, FIRST.section);
  const loaded = { size: draft.size, answers: {}, version: 0 };
  // The form takes up what was not saved, and saves it.
  if (createUnsavedAnswers(project).keep(draft, loaded)) return path;
  // A browser that keeps nothing.
  const { version } = await fetchQuestionnaire(project);
  await saveAnswers(project, draft, version);
  return path;
}
