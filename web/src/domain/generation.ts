// The state of a contract generation.
import type { GeneratedContract, Generation } from "@/lib/api";

export const isRunning = ({ status }: Pick<Generation, "status">): boolean =>
  status === "queued" || status === "running";

export const generatedContracts = ({ contracts }: Generation): GeneratedContract[] =>
  contracts.filter(({ status }) => status === "written");
