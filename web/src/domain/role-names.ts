// Names of the agents' roles.
import type { Role } from "./feed/event";

export const roleName = (role: Role | null) =>
  role ? role[0]?.toUpperCase() + role.slice(1) : "Agent";
