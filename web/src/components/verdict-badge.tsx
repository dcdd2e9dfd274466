import { IconAlertTriangle, IconFlag3, IconRosetteDiscountCheck } from "@tabler/icons-react";
import type { Verdict } from "@/lib/api";
import { VERDICT } from "@/lib/verdict";
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
