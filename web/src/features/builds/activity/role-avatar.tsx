import {
  IconBinoculars,
  IconCode,
  IconRobot,
  IconShieldCheck,
  IconTool,
} from "@tabler/icons-react";
import type { Role } from "@/domain/feed/event";
import { type Tone, toneGround, toneText } from "@/lib/tone";
import classes from "./activity.module.css";

const ROLES: Record<Role, { icon: typeof IconCode; tone: Tone }> = {
  scout: { icon: IconBinoculars, tone: "info" },
  coder: { icon: IconCode, tone: "accent" },
  auditor: { icon: IconShieldCheck, tone: "good" },
  fixer: { icon: IconTool, tone: "waiting" },
};

export function RoleAvatar({ role }: { role: Role | null }) {
  const { icon: Icon, tone } = (role && ROLES[role]) || {
    icon: IconRobot,
    tone: "neutral",
  };
  return (
    <span
      className={classes.avatar}
      style={{ color: toneText(tone), background: toneGround(tone) }}
      aria-hidden
    >
      <Icon size={14} stroke={2} />
    </span>
  );
}
