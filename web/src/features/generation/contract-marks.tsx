import { Loader } from "@mantine/core";
import { IconAlertCircle, IconCheck, IconHourglass } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ToneBadge } from "@/components/tone-badge";
import type { ContractType, GeneratedContract, Generation } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";
import type { Tone } from "@/lib/tone";

const MARKS: Record<GeneratedContract["status"], { label: string; tone: Tone; icon: ReactNode }> = {
  waiting: { label: "Waiting", tone: "neutral", icon: <IconHourglass size={12} aria-hidden /> },
  writing: {
    label: "Being written",
    tone: "accent",
    icon: <Loader size={12} color="currentColor" aria-hidden />,
  },
  written: { label: "Written", tone: "good", icon: <IconCheck size={14} aria-hidden /> },
  failed: { label: "Failed", tone: "bad", icon: <IconAlertCircle size={14} aria-hidden /> },
};

/** How each contract of a run stands; once it has ended, only what did not work out. */
export function contractMarks(generation: Generation | null): Map<ContractType, ReactNode> {
  if (!generation) return new Map();
  const live = isUnderWay(generation);
  return new Map(
    generation.contracts
      .filter(({ status }) => live || (status === "failed" && generation.status === "failed"))
      .map(({ type, status }) => {
        const { label, tone, icon } = MARKS[status];
        return [
          type,
          <ToneBadge key={type} tone={tone} icon={icon}>
            {label}
          </ToneBadge>,
        ];
      }),
  );
}
