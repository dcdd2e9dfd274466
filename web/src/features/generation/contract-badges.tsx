import { Loader } from "@mantine/core";
import { IconAlertCircle, IconCheck, IconHourglass } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ToneBadge } from "@/components/tone-badge";
import { isRunning } from "@/domain/generation";
import type { ContractType, GeneratedContract, Generation } from "@/lib/api";
import type { Tone } from "@/lib/tone";

const MARKS: Record<GeneratedContract["status"], { label: string; tone: Tone; icon: ReactNode }> = {
  waiting: { label: "Waiting", tone: "neutral", icon: <IconHourglass size={12} aria-hidden /> },
  writing: {
    label: "Generating",
    tone: "accent",
    icon: <Loader size={12} color="currentColor" aria-hidden />,
  },
  written: { label: "Written", tone: "good", icon: <IconCheck size={14} aria-hidden /> },
  failed: { label: "Failed", tone: "bad", icon: <IconAlertCircle size={14} aria-hidden /> },
};

/** The status of each contract in a generation; once it has finished, only of those that failed. */
export function contractBadges(generation: Generation | null): Map<ContractType, ReactNode> {
  if (!generation) return new Map();
  const live = isRunning(generation);
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
