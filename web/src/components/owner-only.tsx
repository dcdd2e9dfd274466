import type { ReactNode } from "react";
import { useAccess } from "@/domain/project-access";

interface OwnerOnlyProps {
  children: ReactNode;
  /** Shown to viewers. */
  instead?: ReactNode;
}

/** Renders `children` only for the project's owner, and not before the role is known. */
export function OwnerOnly({ children, instead = null }: OwnerOnlyProps) {
  const access = useAccess();
  if (access === null) return null;
  return access === "owner" ? children : instead;
}
