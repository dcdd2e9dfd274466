import { Button, Group, Stack, Text } from "@mantine/core";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useEndSessions, useSignedInPlaces } from "./api";
import { browserName } from "./browser-name";

export function SignedInPlaces() {
  const query = useSignedInPlaces();
  const end = useEndSessions();
  const failed = (error: unknown) => notifyFailed("You are still signed in there", error);
  const others = query.data?.some((place) => !place.current);
  return (
    <SectionCard
      title="Where you are signed in"
      description="A place that you do not know? Sign out there, then change your password."
      action={
        others && (
          <ConfirmButton
            variant="default"
            title="Sign out everywhere else?"
            body="Every other browser and script that signed in with your password has to sign in again. Forge keys go on working."
            confirm="Sign out everywhere else"
            loading={end.isPending}
            onConfirm={() =>
              end.mutate(null, {
                onSuccess: () => notifyDone("You are signed in here only."),
                onError: failed,
              })
            }
          >
            Sign out everywhere else
          </ConfirmButton>
        )
      }
    >
      <QueryView query={query} what="where you are signed in">
        {(places) => (
          <PlainList>
            {places.map((place) => (
              <PlainListItem key={place.id}>
                <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
                  <Group gap="xs">
                    <Text fw={550}>{browserName(place.user_agent)}</Text>
                    {place.current && <ToneBadge tone="good">Here</ToneBadge>}
                  </Group>
                  <Text fz="xs" c="dimmed">
                    Signed in <TimeAgo at={place.created_at} /> · last used{" "}
                    <TimeAgo at={place.last_used_at} />
                  </Text>
                </Stack>
                {!place.current && (
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => end.mutate(place.id, { onError: failed })}
                    loading={end.isPending && end.variables === place.id}
                  >
                    Sign out
                    <span className="visually-hidden"> of {browserName(place.user_agent)}</span>
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
