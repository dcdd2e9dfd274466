// Devices that ask for a forge key of the signed-in user.
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";

export function useWaitingDevice(code: string) {
  return useQuery({
    queryKey: keys.waitingDevice(code),
    queryFn: () => unwrap(api.GET("/api/device-sign-ins/{code}", { params: { path: { code } } })),
    // A wrong code counts as an attempt.
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export function useApproveDevice(code: string) {
  return useMutation({
    mutationFn: (expires_in_days: number | null) =>
      unwrap(
        api.POST("/api/device-sign-ins/{code}/approve", {
          params: { path: { code } },
          body: { expires_in_days },
        }),
      ),
  });
}

export function useDenyDevice(code: string) {
  return useMutation({
    mutationFn: () =>
      unwrap(api.POST("/api/device-sign-ins/{code}/deny", { params: { path: { code } } })),
  });
}
