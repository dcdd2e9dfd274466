// Keys of the query cache.
export const keys = {
  session: ["session"] as const,
  setup: ["setup"] as const,
  forgeKeys: ["forge-keys"] as const,
  sessions: ["sessions"] as const,
  users: ["users"] as const,
  projects: ["projects"] as const,
  project: (id: string) => ["project", id] as const,
  projectBuilds: (id: string) => ["project", id, "builds"] as const,
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
  interview: (id: string) => ["project", id, "interview"] as const,
  viewers: (id: string) => ["project", id, "viewers"] as const,
  settings: (id: string) => ["project", id, "settings"] as const,
  buildReadiness: (id: string) => ["project", id, "build-readiness"] as const,
  installationSettings: ["installation-settings"] as const,
  detectedGates: (id: string) => ["project", id, "gates", "detected"] as const,
  build: (id: string) => ["build", id] as const,
  reviews: ["reviews"] as const,
  reviewQueue: (state: string) => ["reviews", "queue", state] as const,
  reviewCount: ["reviews", "count"] as const,
  review: (build: string) => ["review", build] as const,
  /** The review of the previous build, with lines mapped to this one. */
  earlierReview: (build: string) => ["earlier-review", build] as const,
  reviewFiles: (build: string) => ["review-diff", build] as const,
  reviewFile: (build: string, path: string) => ["review-diff", build, path] as const,
  /** Reviews as shown to the build's owner. */
  buildReviews: (build: string) => ["build-reviews", build] as const,
  auditLog: (filter: object) => ["audit-log", filter] as const,
  openItems: (id: string) => ["build-open-items", id] as const,
  buildRequirements: (id: string) => ["build-requirements", id] as const,
  usage: (id: string) => ["build-usage", id] as const,
  /** All questions of a build, including resolved ones. */
  questions: (id: string) => ["build-questions", id] as const,
  decision: (id: string, after: number) => ["build-questions", id, "decision", after] as const,
  /** Open questions of all builds. */
  openQuestions: ["open-questions"] as const,
  /** Answers that users gave to builds of a project. */
  answers: (id: string) => ["project", id, "answers"] as const,
  projectErrors: (id: string, filter: object) => ["project", id, "errors", filter] as const,
  errors: (id: string) => ["build-errors", id] as const,
  commits: (id: string) => ["build-commits", id] as const,
  diff: (id: string) => ["build-diff", id] as const,
  diffFiles: (id: string, commit: string | null) => ["build-diff", id, commit ?? "all"] as const,
  diffFile: (id: string, commit: string | null, path: string) =>
    ["build-diff", id, commit ?? "all", path] as const,
};
