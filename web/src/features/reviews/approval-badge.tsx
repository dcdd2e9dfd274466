import { IconUserCheck } from "@tabler/icons-react";
import { ToneBadge } from "@/components/tone-badge";
import type { ReviewDecision } from "@/lib/api";
import { plural } from "@/lib/format";
import { DecisionBadge } from "./decision-badge";

interface ApprovalBadgeProps {
  decision: ReviewDecision | null;
  approvals: number;
  required: number;
}

/** The decision, or the number of approvals out of those required. */
export function ApprovalBadge({ decision, approvals, required }: ApprovalBadgeProps) {
  if (decision) return <DecisionBadge decision={decision} />;
  if (approvals === 0) return null;
  return (
    <ToneBadge tone="info" icon={<IconUserCheck size={14} aria-hidden />}>
      {approvals} of {plural(required, "approval")}
    </ToneBadge>
  );
}
