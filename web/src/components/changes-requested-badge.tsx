import { IconMessageExclamation } from "@tabler/icons-react";
import { ToneBadge } from "./tone-badge";

export function ChangesRequestedBadge() {
  return (
    <ToneBadge tone="waiting" icon={<IconMessageExclamation size={14} aria-hidden />}>
      Changes requested
    </ToneBadge>
  );
}
