import { IconAlertTriangle, IconFlag3, IconRosetteDiscountCheck } from "@tabler/icons-react";
import { VERDICT } from "@/domain/verdict";
import type { Verdict } from "@/lib/api";
import { ToneBadge } from "./tone-badge";

const ICONS = {
  CERTIFIED: IconRosetteDiscountCheck,
  CONDITIONAL: IconAlertTriangle,
  FLAGGED: IconFlag3,
};

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const Icon = ICONS[verdict];
  return (
    <ToneBadge tone={VERDICT[verdict].tone} icon={<Icon size={14} stroke={2} aria-hidden />}>
      {VERDICT[verdict].label}
    </ToneBadge>
  );
}
