import { Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useActiveSessions, useEndSessions } from "./api";
import { browserName } from "./browser-name";

export function Sessions() {
  const query = useActiveSessions();
  const end = useEndSessions();
  const failed = (error: unknown) => notifyFailed("Could not sign out", error);
  const others = query.data?.some((session) => !session.current);
  return (
    <SectionCard
      title="Active sessions"
      description="If you do not recognize a session, sign it out and change your password."
      action={
        others && (
          <ConfirmButton
            variant="default"
            title="Sign out other sessions?"
            body="All other browsers and scripts that signed in with your password have to sign in again. Forge keys keep working."
            confirm="Sign out other sessions"
            loading={end.isPending}
            onConfirm={() =>
              end.mutate(null, {
                onSuccess: () => notifyDone("You have no other sessions."),
                onError: failed,
              })
            }
          >
            Sign out other sessions
          </ConfirmButton>
        )
      }
    >
      <QueryView query={query} what="sessions">
        {(sessions) => (
          <PlainList>
            {sessions.map((session) => (
              <PlainListItem key={session.id}>
                <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
                  <Group gap="xs">
                    <Text fw={550}>{browserName(session.user_agent)}</Text>
                    {session.current && <ToneBadge tone="good">Current session</ToneBadge>}
                  </Group>
                  <Text fz="xs" c="dimmed">
                    Signed in <TimeAgo at={session.created_at} /> · last used{" "}
                    <TimeAgo at={session.last_used_at} />
                  </Text>
                </Stack>
                {!session.current && (
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => end.mutate(session.id, { onError: failed })}
                    loading={end.isPending && end.variables === session.id}
                  >
                    Sign out
                    <VisuallyHidden component="span">
                      {" "}
                      of {browserName(session.user_agent)}
                    </VisuallyHidden>
                  </Button>
                )}
              </PlainListItem>
            ))}
          </PlainList>
        )}
      </QueryView>
    </SectionCard>
  );
}
