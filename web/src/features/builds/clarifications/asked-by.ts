// Who asks a question.
import { roleName } from "@/domain/role-names";
import type { Clarification } from "@/lib/api";

/** Whether an agent waits for the answer. Otherwise ForgeGuard asks. */
export const isOfAgent = ({ kind }: Clarification) => kind === "question" || kind === "permission";

export const askedBy = (question: Clarification) =>
  isOfAgent(question) ? roleName(question.asked_by) : "ForgeGuard";
