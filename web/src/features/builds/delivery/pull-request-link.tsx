import { Anchor, Button, Group, Loader, Text } from "@mantine/core";
import { IconGitPullRequest } from "@tabler/icons-react";
import { Link } from "react-router";
import { useAccess } from "@/domain/project-access";
import type { Build } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { useDelivery, useRequestDelivery } from "./api";
import { viewOf } from "./delivery-view";

/** The pull request of a sealed build, or the button that opens it, above all tabs. */
export function PullRequestLink({ build }: { build: Build }) {
  const isOwner = useAccess() === "owner";
  const data = useDelivery(build.id).data;
  const request = useRequestDelivery(build.id);
  if (!data || (!data.remote && !data.delivery)) return null;
  const view = viewOf(data);
  const pull = data.delivery?.pull_request;
  const icon = <IconGitPullRequest size={15} aria-hidden />;
  if (pull)
    return (
      <Anchor href={pull.url} target="_blank" rel="noreferrer" fz="sm" fw={550} c="inherit">
        <Group component="span" gap={4} mih={28} wrap="nowrap">
          {icon}#{pull.number} {view.label?.toLowerCase()}
        </Group>
      </Anchor>
    );
  if (view.label !== null)
    return (
      <Group gap={6} wrap="nowrap" fz="sm" style={{ flex: "none" }}>
        {view.busy ? <Loader size={14} aria-hidden /> : icon}
        {view.busy ? (
          <Text fz="sm">{view.label}</Text>
        ) : (
          <Anchor
            component={Link}
            to={paths.build(build.project_id, build.number, "seal")}
            replace
            fz="sm"
            c="inherit"
          >
            {view.label}
          </Anchor>
        )}
      </Group>
    );
  if (!view.action || !isOwner) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={icon}
      loading={request.isPending}
      style={{ flex: "none" }}
      onClick={() =>
        request.mutate(undefined, {
          onError: (error) => notifyFailed("The pull request was not requested", error),
        })
      }
    >
      {view.action}
    </Button>
  );
}
