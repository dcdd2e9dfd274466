import { Text } from "@mantine/core";
import { NotificationKindsField } from "@/components/notification-kinds-field";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { notifyFailed } from "@/lib/notify";
import { useEmailNotifications, useSaveEmailNotifications } from "./api";

/** What the user receives by email. */
export function EmailNotifications() {
  const query = useEmailNotifications();
  const save = useSaveEmailNotifications();
  return (
    <SectionCard
      title="Email"
      description="What you receive by email about your own projects, and as an administrator about builds to review."
    >
      <QueryView query={query} what="email settings">
        {({ kinds, available }) => (
          <>
            <NotificationKindsField
              label="Send me"
              value={save.variables && save.isPending ? save.variables.kinds : kinds}
              disabled={!available}
              onChange={(kinds) =>
                save.mutate(
                  { kinds },
                  { onError: (error) => notifyFailed("Could not save your choice", error) },
                )
              }
            />
            {!available && (
              <Text fz="sm" c="dimmed" mt="xs">
                An administrator has to configure an email server first.
              </Text>
            )}
          </>
        )}
      </QueryView>
    </SectionCard>
  );
}
