import type { ReactNode } from "react";
import { useSession } from "@/features/accounts/api";
import NotFoundPage from "./routes/not-found";

/** For other users these pages do not exist, and no request is sent. */
export function RequireAdmin({ children }: { children: ReactNode }) {
  return useSession().data?.role === "admin" ? children : <NotFoundPage />;
}
