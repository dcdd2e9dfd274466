// The actions of all screens with their labels and shortcuts, for the command palette and the list of shortcuts.
// Screens provide the implementation while they are mounted.
import { useEffect, useLayoutEffect, useRef } from "react";

export type ActionScreen =
  | "Everywhere"
  | "Project"
  | "Contracts"
  | "Build"
  | "Activity"
  | "Changes";

export interface ActionLabels {
  label: string;
  screen: ActionScreen;
  /** Key sequences as in `KeySequenceReader`: `g p`, `mod+k`, `?`. */
  keys?: string;
  /** Useful only with its key, so that the palette leaves it out. */
  keyOnly?: boolean;
}

const everywhere = (label: string, keys?: string): ActionLabels => ({
  label,
  keys,
  screen: "Everywhere",
});
const project = (label: string, keys?: string): ActionLabels => ({
  label,
  keys,
  screen: "Project",
});
const build = (label: string, keys?: string): ActionLabels => ({ label, keys, screen: "Build" });
const activity = (label: string, keys?: string): ActionLabels => ({
  label,
  keys,
  screen: "Activity",
});
const changes = (label: string, keys?: string): ActionLabels => ({
  label,
  keys,
  screen: "Changes",
});
const shortcutOnly = (words: ActionLabels): ActionLabels => ({ ...words, keyOnly: true });

export const ACTIONS = {
  find: shortcutOnly(everywhere("Search or jump to", "mod+k")),
  keys: everywhere("Keyboard shortcuts", "?"),
  goProjects: everywhere("Go to projects", "g p"),
  goAccount: everywhere("Go to your account", "g a"),
  goPeople: everywhere("Go to users", "g u"),
  goInbox: everywhere("Go to inbox", "g i"),
  goAllBuilds: everywhere("Go to builds of all projects", "g w"),
  goAllBacklogs: everywhere("Go to backlogs of all projects"),
  goReviews: everywhere("Go to reviews", "g r"),
  goOpenQuestions: everywhere("Go to open questions"),
  goAuditLog: everywhere("Go to audit log"),
  goInstallationSettings: everywhere("Go to installation settings"),
  switchScheme: everywhere("Toggle dark theme"),
  signOut: everywhere("Sign out"),

  goOverview: project("Go to project overview", "g o"),
  goBuilds: project("Go to builds", "g l"),
  goBacklog: project("Go to backlog", "g k"),
  goContracts: project("Go to contracts", "g c"),
  goQuestions: project("Go to questionnaire", "g q"),
  goErrors: project("Go to errors of all builds", "g e"),
  goRequirements: project("Go to requirements", "g t"),
  goSettings: project("Go to project settings", "g s"),
  goBuild: project("Go to latest build", "g b"),
  startBuild: project("Start build"),

  writeContracts: { label: "Generate contracts", screen: "Contracts" },

  showActivity: build("Show Activity", "1"),
  showChanges: build("Show Changes", "2"),
  showErrors: build("Show Errors", "3"),
  showUsage: build("Show Usage", "4"),
  showTranscripts: build("Show Transcripts"),
  showRequirements: build("Show Requirements"),
  showAsk: build("Show questions about the build"),
  showPlan: build("Show Plan", "5"),
  showSeal: build("Show seal", "s"),
  speak: build("Write a message or command", "/"),
  pause: build("Pause build"),
  resume: build("Resume build"),
  cancel: build("Cancel build"),
  verify: build("Verify audit trail"),
  bundle: build("Download evidence"),

  nextRow: shortcutOnly(activity("Next row", "j")),
  previousRow: shortcutOnly(activity("Previous row", "k")),
  firstError: activity("Jump to first error", "e"),
  follow: activity("Follow new activity on/off", "f"),
  linkRow: shortcutOnly(activity("Copy link to row", "y")),
  searchActivity: activity("Search activity", "t"),
  exportJournal: activity("Export journal as NDJSON"),

  nextFile: shortcutOnly(changes("Next file", "j")),
  previousFile: shortcutOnly(changes("Previous file", "k")),
  nextChange: shortcutOnly(changes("Next change", "n")),
  previousChange: shortcutOnly(changes("Previous change", "p")),
  linkLine: shortcutOnly(changes("Copy link to line", "y")),
  sideBySide: changes("Toggle side-by-side diff", "v"),
  markViewed: changes("Mark file as viewed", "m"),
  searchFiles: changes("Search changed files", "t"),
} satisfies Record<string, ActionLabels>;

export type ActionName = keyof typeof ACTIONS;

export interface Action {
  name: ActionName;
  run: () => void;
}

export const actionLabels = (name: ActionName): ActionLabels => ACTIONS[name];

const screens = new Set<{ current: Action[] }>();

/** Makes `actions` available while the caller is mounted. Falsy items are not available now. */
export function useActions(actions: (Action | false | null | undefined)[]) {
  const offered = useRef<Action[]>([]);
  useLayoutEffect(() => {
    offered.current = actions.filter((action) => !!action);
  });
  useEffect(() => {
    screens.add(offered);
    return () => void screens.delete(offered);
  }, []);
}

const SPECIFIC_FIRST: ActionScreen[] = [
  "Activity",
  "Changes",
  "Build",
  "Contracts",
  "Project",
  "Everywhere",
];

/** The available actions, the most specific screen first. If two provide the same action, the last one wins. */
export function currentActions(): Action[] {
  const byName = new Map<ActionName, Action>();
  for (const { current } of screens) for (const action of current) byName.set(action.name, action);
  return [...byName.values()].sort((a, b) => place(a) - place(b));
}

const NAMES = Object.keys(ACTIONS);
const place = ({ name }: Action) =>
  SPECIFIC_FIRST.indexOf(actionLabels(name).screen) * NAMES.length + NAMES.indexOf(name);

/** Runs the action if it is available. */
export function runAction(name: ActionName) {
  currentActions()
    .find((action) => action.name === name)
    ?.run();
}
