import { IconHandStop } from "@tabler/icons-react";
import { OwnerOnly } from "@/components/owner-only";
import type { Build } from "@/lib/api";
import classes from "./build-ide.module.css";

/** Why a build is parked, and what the reader can do. */
export function IdeBlocked({ build }: { build: Build }) {
  if (build.status !== "blocked") return null;
  return (
    <div className={classes.blocked} role="status">
      <IconHandStop size={16} aria-hidden />
      <span>
        <b>Blocked.</b> {build.blocked_reason ?? "It cannot go on without a person."}{" "}
        <OwnerOnly instead="Its owner can resume or cancel it.">
          Resume it, with more budget where that is the reason, or cancel it.
        </OwnerOnly>
      </span>
    </div>
  );
}
