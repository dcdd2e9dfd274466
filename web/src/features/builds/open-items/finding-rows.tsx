import { OwnerOnly } from "@/components/owner-only";
import type { OpenItems } from "./api";
import { ItemRow } from "./item-row";
import { SettleButton } from "./settle-button";

interface FindingRowsProps {
  buildId: string;
  findings: OpenItems["findings"];
}

/** Open findings of the auditor. Fatal ones cannot be dismissed. */
export function FindingRows({ buildId, findings }: FindingRowsProps) {
  return findings.map(({ id, phase, severity, text }) => (
    <ItemRow key={id} source={`${id} · ${severity} of the auditor in phase ${phase}`} text={text}>
      {severity !== "fatal" && (
        <OwnerOnly>
          <SettleButton
            buildId={buildId}
            action="Dismiss"
            item={`${id} ${text}`}
            label="Why is it acceptable?"
            settlement={(reason) => ({ kind: "dismiss", finding: id, reason })}
          />
        </OwnerOnly>
      )}
    </ItemRow>
  ));
}
