// What the roles of agents are called.
import type { Role } from "@/lib/feed/event";

export const roleName = (role: Role | null) =>
  role ? role[0]?.toUpperCase() + role.slice(1) : "Agent";
