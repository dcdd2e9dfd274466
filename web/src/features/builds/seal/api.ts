import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

/** How to run what was built, from the README at the branch's newest commit. */
export function useRunInstructions(build: string) {
  return useQuery({
    queryKey: keys.runInstructions(build),
    queryFn: () =>
      unwrap(api.GET("/api/builds/{build}/run-instructions", { params: { path: { build } } })),
  });
}

/** The public key that verifies this installation's seals. */
export function useSealKey() {
  return useQuery({
    queryKey: keys.sealKey,
    queryFn: () => unwrap(api.GET("/api/seal-key")),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The runs of the build's gates that reviewers requested after the seal. */
export function useGateReruns(build: string) {
  return useQuery({
    queryKey: keys.gateReruns(build),
    queryFn: () =>
      unwrap(api.GET("/api/builds/{build}/gate-reruns", { params: { path: { build } } })),
  });
}
