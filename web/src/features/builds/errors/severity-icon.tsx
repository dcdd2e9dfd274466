import {
  IconAlertCircle,
  IconAlertOctagon,
  IconAlertTriangle,
  IconCircleCheck,
} from "@tabler/icons-react";
import type { BuildError } from "@/lib/api";
import { toneText } from "@/lib/tone";

const SEVERITY = {
  warning: { icon: IconAlertTriangle, label: "Warning", tone: "waiting" as const },
  error: { icon: IconAlertCircle, label: "Error", tone: "bad" as const },
  fatal: { icon: IconAlertOctagon, label: "Fatal error", tone: "bad" as const },
};

interface SeverityIconProps {
  severity: BuildError["severity"];
  resolved: boolean;
}

export function SeverityIcon({ severity, resolved }: SeverityIconProps) {
  const { icon, label, tone } = SEVERITY[severity];
  const Icon = resolved ? IconCircleCheck : icon;
  return (
    <Icon
      size={18}
      color={toneText(resolved ? "good" : tone)}
      aria-label={resolved ? `${label}, resolved` : label}
      role="img"
      style={{ flex: "none" }}
    />
  );
}
