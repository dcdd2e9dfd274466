// Names of the agents' roles.
import { capitalized } from "@/lib/format";
import type { Role } from "./feed/event";

export const roleName = (role: Role | null) => (role ? capitalized(role) : "Agent");
