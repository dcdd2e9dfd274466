import type { ReactNode } from "react";
import { useMayChange } from "@/lib/project-role";

interface OwnerOnlyProps {
  children: ReactNode;
  /** For who may only look. */
  instead?: ReactNode;
}

/** What changes a project is offered to its owner alone. */
export function OwnerOnly({ children, instead = null }: OwnerOnlyProps) {
  return useMayChange() ? children : instead;
}
