import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ConfirmButton } from "@/components/confirm-button";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import type { Viewer } from "@/lib/api";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { ApiError, messageOf } from "@/lib/problem";
import { useAddViewer, useRemoveViewer, useViewers } from "./api";

/** Who else may look at the project: to let somebody in, and out again. */
export function ViewersCard({ projectId }: { projectId: string }) {
  const viewers = useViewers(projectId);
  return (
    <SectionCard
      title="People who may look"
      description="They see the contracts, the builds and the branches, can clone, and change nothing."
    >
      <Stack gap="md">
        <QueryView query={viewers} what="who may look" loading={<Skeleton height={48} />}>
          {(viewers) =>
            viewers.length === 0 ? (
              <Text fz="sm" c="dimmed">
                Nobody but you, yet.
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
        body="They no longer see the project. You can let them in again."
        confirm="Remove"
        onConfirm={() =>
          remove.mutate(viewer.id, {
            onSuccess: () => notifyDone(`${viewer.name} no longer sees the project.`),
            onError: (error) => notifyFailed("Nobody was removed", error),
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
          label="Email of somebody with an account here"
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
          Let them look
        </Button>
      </Group>
    </form>
  );
}
