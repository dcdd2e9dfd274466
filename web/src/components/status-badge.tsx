import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClockPause,
  IconHandStop,
  IconHourglass,
  IconMessageExclamation,
  IconMessageQuestion,
  IconPlayerPause,
  IconProgress,
  IconRosetteDiscountCheck,
} from "@tabler/icons-react";
import { type BuildFacts, buildState } from "@/domain/build-status";
import { ToneBadge } from "./tone-badge";
import { VerdictBadge } from "./verdict-badge";

const ICONS: Record<string, typeof IconProgress> = {
  Running: IconProgress,
  "Needs your answer": IconMessageQuestion,
  Paused: IconPlayerPause,
  Retrying: IconClockPause,
  Sealing: IconRosetteDiscountCheck,
  "Waiting for review": IconHourglass,
  "Changes requested": IconMessageExclamation,
  Approved: IconCircleCheck,
  Blocked: IconHandStop,
  Cancelled: IconCircleX,
};

export function StatusBadge({ build }: { build: BuildFacts }) {
  const { label, tone } = buildState(build);
  const Icon = ICONS[label] ?? IconCircleDashed;
  return (
    <ToneBadge tone={tone} icon={<Icon size={14} stroke={2} aria-hidden />}>
      {label}
    </ToneBadge>
  );
}

/** The status, and the verdict of a sealed build. */
export function BuildBadges({ build }: { build: BuildFacts }) {
  return (
    <>
      {build.verdict && <VerdictBadge verdict={build.verdict} />}
      <StatusBadge build={build} />
    </>
  );
}
