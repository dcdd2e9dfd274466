// Email: the server that sends it, and what the user receives.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";

export type EmailSettings = Schemas["EmailSettings"];
export type EmailUpdate = Schemas["UpdateEmailSettingsRequest"];

export function useEmailSettings() {
  return useQuery({
    queryKey: keys.emailSettings,
    queryFn: () => unwrap(api.GET("/api/settings/email")),
  });
}

export function useSaveEmailSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: EmailUpdate) => unwrap(api.PUT("/api/settings/email", { body })),
    onSuccess: (saved) => {
      storeResponse(client, keys.emailSettings, saved);
      return client.invalidateQueries({ queryKey: keys.emailNotifications });
    },
  });
}

export function useRemoveEmailSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/settings/email")),
    onSuccess: () => {
      storeResponse<EmailSettings>(client, keys.emailSettings, {
        server: null,
        has_password: false,
      });
      return client.invalidateQueries({ queryKey: keys.emailNotifications });
    },
  });
}

export function useSendTestEmail() {
  return useMutation({ mutationFn: () => unwrap(api.POST("/api/settings/email/test")) });
}

export function useEmailNotifications() {
  return useQuery({
    queryKey: keys.emailNotifications,
    queryFn: () => unwrap(api.GET("/api/me/email-notifications")),
  });
}

export function useSaveEmailNotifications() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["UpdateEmailNotificationsRequest"]) =>
      unwrap(api.PUT("/api/me/email-notifications", { body })),
    onSuccess: (saved) => storeResponse(client, keys.emailNotifications, saved),
  });
}
