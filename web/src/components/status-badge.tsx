import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClockPause,
  IconHandStop,
  IconMessageQuestion,
  IconPlayerPause,
  IconProgress,
  IconRosetteDiscountCheck,
} from "@tabler/icons-react";
import { STATUS } from "@/domain/build-status";
import type { BuildStatus } from "@/lib/api";
import { ToneBadge } from "./tone-badge";

const ICONS: Record<BuildStatus, typeof IconProgress> = {
  queued: IconCircleDashed,
  running: IconProgress,
  awaiting_input: IconMessageQuestion,
  paused: IconPlayerPause,
  retrying: IconClockPause,
  sealing: IconRosetteDiscountCheck,
  sealed: IconCircleCheck,
  blocked: IconHandStop,
  abandoned: IconCircleX,
};

export function StatusBadge({ status }: { status: BuildStatus }) {
  const { label, tone } = STATUS[status] ?? STATUS.queued;
  const Icon = ICONS[status] ?? IconCircleDashed;
  return (
    <ToneBadge tone={tone} icon={<Icon size={14} stroke={2} aria-hidden />}>
      {label}
    </ToneBadge>
  );
}
