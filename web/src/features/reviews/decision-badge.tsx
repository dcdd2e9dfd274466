import { IconCircleCheck } from "@tabler/icons-react";
import { ChangesRequestedBadge } from "@/components/changes-requested-badge";
import { ToneBadge } from "@/components/tone-badge";
import type { ReviewDecision } from "@/lib/api";

export function DecisionBadge({ decision }: { decision: ReviewDecision }) {
  if (decision !== "approved") return <ChangesRequestedBadge />;
  return (
    <ToneBadge tone="good" icon={<IconCircleCheck size={14} aria-hidden />}>
      Approved
    </ToneBadge>
  );
}
