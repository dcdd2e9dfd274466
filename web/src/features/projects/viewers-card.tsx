import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import type { Viewer } from "@/lib/api";
import { ApiError, messageOf } from "@/lib/api-error";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useAddViewer, useRemoveViewer, useViewers } from "./api";

/** Lists, adds and removes viewers of the project. */
export function ViewersCard({ projectId }: { projectId: string }) {
  const viewers = useViewers(projectId);
  return (
    <SectionCard
      title="Viewers"
      description="Viewers can see contracts, builds and branches, and clone, but not change anything."
    >
      <Stack gap="md">
        <QueryView query={viewers} what="viewers" loading={<Skeleton height={48} />}>
          {(viewers) =>
            viewers.length === 0 ? (
              <Text fz="sm" c="dimmed">
                No viewers yet.
              </Text>
            ) : (
              <PlainList>
                {viewers.map((viewer) => (
                  <ViewerRow key={viewer.id} projectId={projectId} viewer={viewer} />
                ))}
              </PlainList>
            )
          }
        </QueryView>
        <AddViewer projectId={projectId} />
      </Stack>
    </SectionCard>
  );
}

function ViewerRow({ projectId, viewer }: { projectId: string; viewer: Viewer }) {
  const remove = useRemoveViewer(projectId);
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 10rem" }}>
        <Text fw={550}>{viewer.name}</Text>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {viewer.email} · since <TimeAgo at={viewer.since} />
        </Text>
      </Stack>
      <ConfirmButton
        size="xs"
        variant="default"
        loading={remove.isPending}
        aria-label={`Remove ${viewer.name}`}
        title={`Remove ${viewer.name}?`}
        body="They will no longer have access to the project. You can add them again."
        confirm="Remove"
        onConfirm={() =>
          remove.mutate(viewer.id, {
            onSuccess: () => notifyDone(`${viewer.name} was removed.`),
            onError: (error) => notifyFailed("Could not remove the viewer", error),
          })
        }
      >
        Remove
      </ConfirmButton>
    </PlainListItem>
  );
}

function AddViewer({ projectId }: { projectId: string }) {
  const [email, setEmail] = useState("");
  const add = useAddViewer(projectId);
  const { error } = add;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(email, { onSuccess: () => setEmail("") });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Email address of a user"
          type="email"
          value={email}
          onChange={({ currentTarget }) => {
            setEmail(currentTarget.value);
            add.reset();
          }}
          error={error && ((error instanceof ApiError && error.fields.email) || messageOf(error))}
          style={{ flex: "1 1 14rem" }}
          inputWrapperOrder={["label", "error", "input"]}
        />
        <Button
          type="submit"
          variant="default"
          loading={add.isPending}
          disabled={email.trim() === ""}
        >
          Add viewer
        </Button>
      </Group>
    </form>
  );
}
