import { IconCircleCheck, IconMessageExclamation } from "@tabler/icons-react";
import { ToneBadge } from "@/components/tone-badge";
import type { ReviewDecision } from "@/lib/api";

export function DecisionBadge({ decision }: { decision: ReviewDecision }) {
  return decision === "approved" ? (
    <ToneBadge tone="good" icon={<IconCircleCheck size={14} aria-hidden />}>
      Approved
    </ToneBadge>
  ) : (
    <ToneBadge tone="waiting" icon={<IconMessageExclamation size={14} aria-hidden />}>
      Changes requested
    </ToneBadge>
  );
}
