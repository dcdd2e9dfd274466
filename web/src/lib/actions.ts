// What can be done on a screen. Each action is declared once, here: for its keys, for the map that `?`
// shows, and for the palette. A screen says how it is done for as long as it is there.
import { useEffect, useRef } from "react";

export type ActionScreen =
  | "Everywhere"
  | "Project"
  | "Contracts"
  | "Build"
  | "Activity"
  | "Changes";

export interface ActionWords {
  label: string;
  screen: ActionScreen;
  /** Strokes with spaces between, as `KeyReader` knows them: `g p`, `mod+k`, `?`. */
  keys?: string;
  /** Makes sense with its key alone, so the palette leaves it out. */
  keyOnly?: boolean;
}

const everywhere = (label: string, keys?: string): ActionWords => ({
  label,
  keys,
  screen: "Everywhere",
});
const project = (label: string, keys?: string): ActionWords => ({
  label,
  keys,
  screen: "Project",
});
const build = (label: string, keys?: string): ActionWords => ({ label, keys, screen: "Build" });
const activity = (label: string, keys?: string): ActionWords => ({
  label,
  keys,
  screen: "Activity",
});
const changes = (label: string, keys?: string): ActionWords => ({
  label,
  keys,
  screen: "Changes",
});
const withKeyAlone = (words: ActionWords): ActionWords => ({ ...words, keyOnly: true });

export const ACTIONS = {
  find: withKeyAlone(everywhere("Find anything", "mod+k")),
  keys: everywhere("Keyboard shortcuts", "?"),
  goProjects: everywhere("Go to the projects", "g p"),
  goAccount: everywhere("Go to your account", "g a"),
  goPeople: everywhere("Go to the people", "g u"),
  goReviews: everywhere("Go to the reviews", "g r"),
  goOpenQuestions: everywhere("Go to the open questions", "g i"),
  goAuditLog: everywhere("Go to the audit log"),
  switchScheme: everywhere("Switch between light and dark"),
  signOut: everywhere("Sign out"),

  goOverview: project("Go to the project's overview", "g o"),
  goContracts: project("Go to the contracts", "g c"),
  goQuestions: project("Go to the questionnaire", "g q"),
  goErrors: project("Go to the errors of all builds", "g e"),
  goSettings: project("Go to the project's settings", "g s"),
  goBuild: project("Go to the latest build", "g b"),
  startBuild: project("Start a build"),

  writeContracts: { label: "Write the contracts", screen: "Contracts" },

  showActivity: build("Show Activity", "1"),
  showChanges: build("Show Changes", "2"),
  showErrors: build("Show Errors", "3"),
  showUsage: build("Show Usage", "4"),
  showPlan: build("Show Plan", "5"),
  showSeal: build("Show the seal", "s"),
  speak: build("Write to the agents", "/"),
  pause: build("Pause the build"),
  resume: build("Resume the build"),
  cancel: build("Cancel the build"),
  verify: build("Verify the record"),
  bundle: build("Download the evidence"),

  nextRow: withKeyAlone(activity("Next row", "j")),
  previousRow: withKeyAlone(activity("Previous row", "k")),
  firstError: activity("Jump to the first error", "e"),
  follow: activity("Follow what is new, or stop", "f"),
  linkRow: withKeyAlone(activity("Copy the link to the row", "y")),
  searchActivity: activity("Search the activity", "t"),
  exportJournal: activity("Export the journal as NDJSON"),

  nextFile: withKeyAlone(changes("Next file", "j")),
  previousFile: withKeyAlone(changes("Previous file", "k")),
  nextChange: withKeyAlone(changes("Next change", "n")),
  previousChange: withKeyAlone(changes("Previous change", "p")),
  linkLine: withKeyAlone(changes("Copy the link to the line", "y")),
  sideBySide: changes("Side by side, or inline", "v"),
  searchFiles: changes("Search the changed files", "t"),
} satisfies Record<string, ActionWords>;

export type ActionName = keyof typeof ACTIONS;

export interface Action {
  name: ActionName;
  run: () => void;
}

export const wordsOf = (name: ActionName): ActionWords => ACTIONS[name];

const screens = new Set<{ current: Action[] }>();

/** Offers `actions` while the caller is on the page. What is falsy is not possible now. */
export function useActions(actions: (Action | false | null | undefined)[]) {
  const offered = useRef<Action[]>([]);
  offered.current = actions.filter((action) => !!action);
  useEffect(() => {
    screens.add(offered);
    return () => void screens.delete(offered);
  }, []);
}

const NEAREST_FIRST: ActionScreen[] = [
  "Activity",
  "Changes",
  "Build",
  "Contracts",
  "Project",
  "Everywhere",
];

/** What can be done now, on the nearest screen first; where two offer the same, the one that came last. */
export function currentActions(): Action[] {
  const byName = new Map<ActionName, Action>();
  for (const { current } of screens) for (const action of current) byName.set(action.name, action);
  return [...byName.values()].sort((a, b) => place(a) - place(b));
}

const NAMES = Object.keys(ACTIONS);
const place = ({ name }: Action) =>
  NEAREST_FIRST.indexOf(wordsOf(name).screen) * NAMES.length + NAMES.indexOf(name);

/** Does what `name` stands for, where that is possible now. */
export function runAction(name: ActionName) {
  currentActions()
    .find((action) => action.name === name)
    ?.run();
}
