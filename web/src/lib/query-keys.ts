// Keys of the query cache.
export const keys = {
  session: ["session"] as const,
  setup: ["setup"] as const,
  /** Whether the server has another version of the app. */
  outdated: ["outdated"] as const,
  forgeKeys: ["forge-keys"] as const,
  watchedBuilds: ["watched-builds"] as const,
  waitingDevice: (code: string) => ["waiting-device", code] as const,
  sessions: ["sessions"] as const,
  /** The providers on the sign-in page. */
  signInOptions: ["sign-in-options"] as const,
  /** Linked sign-ins of the user. */
  identities: ["identities"] as const,
  users: ["users"] as const,
  projects: ["projects"] as const,
  archivedProjects: ["projects", "archived"] as const,
  /** Invalidates the remote repositories of all projects. */
  remotes: ["remote"] as const,
  /** The remote repository of a project, or null. */
  remote: (project: string) => ["remote", project] as const,
  credentials: ["credentials"] as const,
  /** The id of the project with a slug. */
  projectSlug: (slug: string) => ["project-slug", slug] as const,
  /** The id of the build with a number. */
  buildNumber: (project: string, number: string) => ["build-number", project, number] as const,
  project: (id: string) => ["project", id] as const,
  projectBuilds: (id: string) => ["project", id, "builds"] as const,
  backlog: (id: string) => ["project", id, "backlog"] as const,
  backlogItem: (id: string, item: string) => ["project", id, "backlog-item", item] as const,
  allBacklogs: ["backlogs"] as const,
  spec: (id: string) => ["project", id, "spec"] as const,
  specDocuments: (id: string) => ["project", id, "spec-documents"] as const,
  specReport: (text: string) => ["spec-report", text] as const,
  contracts: (id: string) => ["project", id, "contracts"] as const,
  contract: (id: string, type: string) => ["project", id, "contracts", type] as const,
  contractVersions: (id: string, type: string) =>
    ["project", id, "contracts", type, "versions"] as const,
  contractOrigin: (id: string, type: string, version: number) =>
    ["project", id, "contracts", type, "origin", version] as const,
  contractDiff: (id: string, type: string, from: number, to: number) =>
    ["project", id, "contracts", type, "diff", from, to] as const,
  contractFindings: (id: string) => ["project", id, "contracts", "findings"] as const,
  /** The latest contract generation, or null. */
  generation: (project: string) => ["project", project, "generation"] as const,
  /** All contract generations. */
  generations: (project: string) => ["project", project, "generations"] as const,
  requirements: (id: string) => ["project", id, "contracts", "requirements"] as const,
  notepad: (id: string) => ["project", id, "notepad"] as const,
  questionnaire: (id: string) => ["project", id, "questionnaire"] as const,
  suggestedAnswers: (id: string) => ["project", id, "suggested-answers"] as const,
  interview: (id: string) => ["project", id, "interview"] as const,
  viewers: (id: string) => ["project", id, "viewers"] as const,
  settings: (id: string) => ["project", id, "settings"] as const,
  buildReadiness: (id: string, choices: object) =>
    ["project", id, "build-readiness", choices] as const,
  branches: (id: string) => ["project", id, "branches"] as const,
  snapshots: (id: string) => ["project", id, "contracts", "snapshots"] as const,
  installationSettings: ["installation-settings"] as const,
  /** Also invalidates their deliveries. */
  webhooks: (project: string | null) => ["webhooks", project] as const,
  deliveries: (project: string | null, webhook: string) => ["webhooks", project, webhook] as const,
  emailSettings: ["email-settings"] as const,
  emailNotifications: ["email-notifications"] as const,
  signInProviders: ["sign-in-providers"] as const,
  providerKeys: ["provider-keys"] as const,
  detectedGates: (id: string) => ["project", id, "gates", "detected"] as const,
  build: (id: string) => ["build", id] as const,
  /** The gates that differ when the build is resumed. */
  gateChanges: (id: string) => ["build-gate-changes", id] as const,
  reviews: ["reviews"] as const,
  reviewQueue: (state: string) => ["reviews", "queue", state] as const,
  review: (build: string) => ["review", build] as const,
  /** The review of the previous build, with lines mapped to this one. */
  earlierReview: (build: string) => ["earlier-review", build] as const,
  /** Reviews as shown to the build's owner. */
  buildReviews: (build: string) => ["build-reviews", build] as const,
  auditLog: (filter: object) => ["audit-log", filter] as const,
  auditedProjects: ["audit-log", "projects"] as const,
  openItems: (id: string) => ["build-open-items", id] as const,
  /** The build's branch at the remote, and its pull request. */
  buildDelivery: (id: string) => ["build-delivery", id] as const,
  /** Runs of the gates after the seal. */
  gateReruns: (id: string) => ["gate-reruns", id] as const,
  buildRequirements: (id: string) => ["build-requirements", id] as const,
  /** The runs of a build's agents; also invalidates their transcripts. */
  runs: (id: string) => ["build-runs", id] as const,
  transcript: (id: string, run: string) => ["build-runs", id, run] as const,
  transcriptMessage: (id: string, run: string, position: number) =>
    ["build-transcript-message", id, run, position] as const,
  /** How to run what a build made. */
  runInstructions: (id: string) => ["build-run-instructions", id] as const,
  sealKey: ["seal-key"] as const,
  demoSpeed: (id: string) => ["build-demo-speed", id] as const,
  usage: (id: string) => ["build-usage", id] as const,
  /** Users' questions about a build. */
  buildQuestions: (id: string) => ["build-asked", id] as const,
  /** All questions of a build's agents, including resolved ones. */
  questions: (id: string) => ["build-questions", id] as const,
  decision: (id: string, after: number) => ["build-questions", id, "decision", after] as const,
  /** The builds of all projects. */
  allBuilds: (group: string | null, project: string | null) =>
    ["all-builds", group, project] as const,
  comparison: (project: string, from: number, to: number) =>
    ["project", project, "comparison", from, to] as const,
  inbox: ["inbox"] as const,
  /** Open questions of all builds. */
  openQuestions: ["open-questions"] as const,
  /** Answers that users gave to builds of a project. */
  answers: (id: string) => ["project", id, "answers"] as const,
  projectErrors: (id: string, filter: object) => ["project", id, "errors", filter] as const,
  errors: (id: string) => ["build-errors", id] as const,
  commits: (id: string) => ["build-commits", id] as const,
  diff: (id: string) => ["build-diff", id] as const,
  diffFiles: (id: string, commit: string | null) => ["build-diff", id, commit ?? "all"] as const,
  diffFile: (
    id: string,
    commit: string | null,
    path: string,
    content: string | null,
    ignoreWhitespace: boolean,
  ) => ["build-diff", id, commit ?? "all", path, content, ignoreWhitespace] as const,
  /** A changed file as it is after the change. */
  fileText: (id: string, commit: string | null, path: string, content: string | null) =>
    ["build-diff", id, commit ?? "all", "text", path, content] as const,
  /** The files that the user has viewed. */
  viewedFiles: (id: string) => ["viewed-files", id] as const,
  /** The files of a branch at a commit. */
  tree: (id: string, commit: string) => ["build-tree", id, commit] as const,
  treeFile: (id: string, commit: string, path: string) => ["build-tree", id, commit, path] as const,
};
