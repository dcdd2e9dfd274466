import type { ReactNode } from "react";
import { type Tone, toneGround, toneLine, toneText } from "@/lib/tone";
import classes from "./tone-badge.module.css";

interface ToneBadgeProps {
  tone: Tone;
  icon?: ReactNode;
  children: ReactNode;
}

export function ToneBadge({ tone, icon, children }: ToneBadgeProps) {
  const style = {
    color: toneText(tone),
    background: toneGround(tone),
    borderColor: toneLine(tone),
  };
  return (
    <span className={classes.badge} style={style}>
      {icon}
      <span className={classes.label}>{children}</span>
    </span>
  );
}
