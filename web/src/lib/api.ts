// The typed HTTP client. On a 401 it refreshes the session once and retries.
import createClient from "openapi-fetch";
import type { paths as ApiPaths, components } from "@/generated/api";
import { ApiError, ConnectionError } from "./api-error";
import { takeEarly } from "./early-requests";
import { slugOf } from "./paths";
import { refreshSession } from "./refresh-session";

export type Schemas = components["schemas"];
export type User = Schemas["User"];
export type InboxItem = Schemas["InboxItem"];
export type Project = Schemas["Project"];
export type BuildSummary = Schemas["BuildSummary"];
export type Build = Schemas["Build"];
export type BuildPhase = Schemas["BuildPhase"];
export type BuildUsage = Schemas["BuildUsage"];
export type BuildRun = Schemas["BuildRun"];
export type Transcript = Schemas["Transcript"];
export type TranscriptMessage = Schemas["TranscriptMessage"];
export type TranscriptText = Schemas["TranscriptText"];
export type DemoSpeed = Schemas["DemoSpeed"];
export type BuildStatus = Schemas["BuildStatus"];
export type Verdict = Schemas["Verdict"];
export type BuildError = Schemas["BuildError"];
export type Clarification = Schemas["Clarification"];
export type PlacedClarification = Schemas["PlacedClarification"];
export type ProjectError = Schemas["ProjectError"];
export type ErrorSighting = Schemas["ErrorSighting"];
export type ContractSummary = Schemas["ContractSummary"];
export type Contract = Schemas["Contract"];
export type ContractType = Schemas["ContractType"];
export type ContractFormat = Schemas["ContractFormat"];
export type ContractFinding = Schemas["ContractFinding"];
export type ContractPlace = Schemas["ContractPlace"];
export type ContractVersion = Schemas["ContractVersion"];
export type Generation = Schemas["Generation"];
export type GeneratedContract = Schemas["GenerationContract"];
export type BuildQuestion = Schemas["BuildQuestion"];
export type AnswerReference = Schemas["AnswerReference"];
export type Verification = Schemas["Verification"];
export type Notepad = Schemas["Notepad"];
export type Interview = Schemas["Interview"];
export type InterviewMessage = Schemas["InterviewMessage"];
export type Questionnaire = Schemas["Questionnaire"];
export type QuestionnaireSize = Schemas["QuestionnaireSize"];
export type Section = Schemas["SectionOutline"];
export type Question = Schemas["Question"];
export type Answer = Schemas["Answer"];
export type SuggestedAnswer = Schemas["SuggestedAnswer"];
export type Budgets = Schemas["Budgets"];
export type BudgetLimits = Schemas["BudgetLimits"];
export type BuildReadiness = Schemas["BuildReadiness"];
export type BuildEstimate = Schemas["BuildEstimate"];
export type StartOptions = Schemas["CreateBuildRequest"];
/** What readiness depends on. */
export type StartChoices = Pick<
  StartOptions,
  "baseline_branch" | "first_phase" | "snapshot" | "models" | "executor"
>;
export type Executor = Schemas["Executor"];
export type PhaseExecutor = Schemas["PhaseExecutor"];
export type StartExecutor = Schemas["StartExecutor"];
export type PlanApproval = Schemas["PlanApproval"];
export type Exploration = Schemas["Exploration"];
export type InstallationSettings = Schemas["InstallationSettings"];
export type RoleModel = Schemas["RoleModel"];
export type ProjectSettings = Schemas["ProjectSettings"];
export type DeliverySettings = Schemas["DeliverySettings"];
export type BuildDelivery = Schemas["BuildDelivery"];
export type GateRerun = Schemas["GateRerun"];
export type RerunGate = Schemas["RerunGate"];
export type PullRequest = Schemas["PullRequest"];
export type PullRequestComment = Schemas["PullRequestComment"];
export type Gate = Schemas["Gate"];
export type Commit = Schemas["Commit"];
export type DiffFile = Schemas["DiffFile"];
export type DiffSummary = Schemas["DiffSummary"];
export type FileDiff = Schemas["FileDiff"];
export type DiffHunk = Schemas["DiffHunk"];
export type DiffLine = Schemas["DiffLine"];
export type Review = Schemas["Review"];
export type ReviewSummary = Schemas["ReviewSummary"];
export type ReviewComment = Schemas["ReviewComment"];
export type ReviewDecision = Schemas["ReviewDecision"];
export type ReviewDecided = Schemas["ReviewDecided"];
export type BuildReviews = Schemas["BuildReviews"];
export type FollowUp = Schemas["FollowUp"];
export type EarlierReview = Schemas["EarlierReview"];
export type AuditEntry = Schemas["AuditEntry"];
export type AuditAction = Schemas["AuditAction"];
export type Viewer = Schemas["Viewer"];
export type ForgeKey = Schemas["ForgeKey"];
export type Invitation = Schemas["Invitation"];
export type ActiveSession = Schemas["ActiveSession"];
export type NewForgeKey = Schemas["NewForgeKey"];

export async function fetchWithRefresh(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await send(request);
  const path = new URL(request.url).pathname;
  const signsIn =
    path === "/api/session/refresh" || path === "/api/setup" || path === "/api/invitation";
  if (
    response.status !== 401 ||
    signsIn ||
    (path === "/api/session" && request.method === "POST")
  ) {
    return response;
  }
  return (await refreshSession()) ? send(again) : response;
}

/** `fetch` throws a `TypeError` if there is no response, as code does for its own mistakes. */
const send = (request: Request) =>
  (takeEarly(request, slugOf) ?? fetch(request)).catch((error) => {
    throw error instanceof TypeError ? new ConnectionError(error) : error;
  });

export const api = createClient<ApiPaths, "application/json">({
  baseUrl: typeof location === "undefined" ? "http://localhost" : location.origin,
  fetch: fetchWithRefresh,
});

interface Reply<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a successful response; throws an `ApiError` otherwise. */
export async function unwrap<T>(answer: Promise<Reply<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await answer;
  if (response.ok) return data as NonNullable<T>;
  const problem = error && typeof error === "object" ? error : {};
  throw new ApiError({ title: response.statusText, ...problem, status: response.status });
}
