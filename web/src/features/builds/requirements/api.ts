import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export type RequirementsMatrix = Schemas["RequirementsMatrix"];
export type MatrixRow = Schemas["MatrixRow"];

export function useBuildRequirements(build: string) {
  return useQuery({
    queryKey: keys.buildRequirements(build),
    queryFn: () =>
      unwrap(api.GET("/api/builds/{build}/requirements", { params: { path: { build } } })),
  });
}
