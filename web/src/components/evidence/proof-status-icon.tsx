import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { Schemas } from "@/lib/api";
import { toneText } from "@/lib/tone";

const STANDING = {
  holds: { icon: IconCircleCheck, color: toneText("good"), label: "Met" },
  open: { icon: IconAlertTriangle, color: toneText("waiting"), label: "Open" },
  broken: { icon: IconCircleX, color: toneText("bad"), label: "Not met" },
};

export function ProofStatusIcon({
  standing,
  size,
}: {
  standing: Schemas["Standing"];
  size: number;
}) {
  const { icon: Icon, color, label } = STANDING[standing];
  return <Icon size={size} color={color} aria-label={label} role="img" />;
}
