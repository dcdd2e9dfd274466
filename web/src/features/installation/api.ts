// Settings of the installation, for administrators.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

export function useInstallationSettings() {
  return useQuery({
    queryKey: keys.installationSettings,
    queryFn: () => unwrap(api.GET("/api/settings")),
  });
}

export function useSaveInstallationSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["UpdateInstallationSettingsRequest"]) =>
      unwrap(api.PUT("/api/settings", { body })),
    onSuccess: (saved) => storeResponse(client, keys.installationSettings, saved),
  });
}
