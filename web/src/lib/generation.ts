// A run of a model that writes, and what can be said of it.
import type { GeneratedContract, Generation } from "./api";

export const isUnderWay = ({ status }: Pick<Generation, "status">): boolean =>
  status === "queued" || status === "running";

export const writtenOf = ({ contracts }: Generation): GeneratedContract[] =>
  contracts.filter(({ status }) => status === "written");
