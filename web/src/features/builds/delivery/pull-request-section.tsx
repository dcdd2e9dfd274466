import { Anchor, Button, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { IconExternalLink, IconGitPullRequest } from "@tabler/icons-react";
import { OwnerOnly } from "@/components/owner-only";
import { TimeAgo } from "@/components/time-ago";
import { ToneBadge } from "@/components/tone-badge";
import type { Build, BuildDelivery } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { formatDate } from "@/lib/format";
import { useDelivery, useRequestDelivery } from "./api";
import { checksText, remoteName, viewOf } from "./delivery-view";
import { PullRequestComments } from "./pull-request-comments";

/** The branch at the project's remote and its pull request. Nothing if the project has no remote. */
export function PullRequestSection({ build }: { build: Build }) {
  const data = useDelivery(build.id).data;
  if (!data || (!data.remote && !data.delivery)) return null;
  return <Section build={build} data={data} />;
}

function Section({ build, data }: { build: Build; data: BuildDelivery }) {
  const request = useRequestDelivery(build.id);
  const view = viewOf(data);
  const { delivery, remote } = data;
  const pull = delivery?.pull_request;
  const checks = pull && checksText(pull.checks);
  return (
    <section aria-labelledby="seal-pull-request">
      <Title order={3} id="seal-pull-request" mb={6}>
        Pull request
      </Title>
      <Stack gap={8} align="flex-start">
        {view.label === null && remote && (
          <Text fz="sm" c="dimmed">
            {view.action
              ? `Pushes the branch to ${remoteName(remote.url)} and opens a pull request with the requirements and the evidence. Nothing is merged.`
              : "Pull requests are turned off in the project's settings."}
          </Text>
        )}
        <Group gap="xs" role="status" fz="sm">
          {pull && (
            <Anchor href={pull.url} target="_blank" rel="noreferrer" fw={550}>
              <Group component="span" gap={4}>
                #{pull.number} in {remote ? remoteName(remote.url) : new URL(pull.url).host}
                <IconExternalLink size={14} aria-label="(new tab)" />
              </Group>
            </Anchor>
          )}
          {view.busy && <Loader size={14} aria-hidden />}
          {view.label && <ToneBadge tone={view.tone}>{view.label}</ToneBadge>}
          {checks && <Text fz="sm">Checks: {checks}</Text>}
        </Group>
        {pull?.read_at && (
          <Text fz="xs" c="dimmed">
            Read <TimeAgo at={pull.read_at} />
          </Text>
        )}
        {delivery?.failure && (
          <Text fz="sm" style={{ overflowWrap: "anywhere" }}>
            {delivery.failure}
            {delivery.next_attempt_at && (
              <> The next attempt is at {formatDate(delivery.next_attempt_at)}.</>
            )}
          </Text>
        )}
        {delivery?.note && (
          <Text fz="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {delivery.note}
          </Text>
        )}
        <OwnerOnly>
          {view.action && (
            <Button
              size="xs"
              variant={delivery ? "default" : "filled"}
              leftSection={<IconGitPullRequest size={15} aria-hidden />}
              loading={request.isPending}
              onClick={() => request.mutate()}
            >
              {view.action}
            </Button>
          )}
        </OwnerOnly>
        {pull && pull.comments.length > 0 && (
          <PullRequestComments
            buildId={build.id}
            comments={pull.comments}
            followUp={data.follow_up}
          />
        )}
        {request.isError && (
          <Text fz="sm" role="alert">
            {messageOf(request.error)}
          </Text>
        )}
      </Stack>
    </section>
  );
}
