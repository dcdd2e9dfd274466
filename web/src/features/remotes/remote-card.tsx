import { Alert, Anchor, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { SectionCard } from "@/components/section-card";
import { TimeAgo } from "@/components/time-ago";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { isActive, type Remote, useCancelFetch, useFetchRemote, useRemote } from "./api";

interface RemoteCardProps {
  projectId: string;
  /** Whether the user may fetch. */
  owner: boolean;
}

/** The repository that the project follows, with its current or last fetch. Nothing without one. */
export function RemoteCard({ projectId, owner }: RemoteCardProps) {
  const remote = useRemote(projectId).data;
  const fetch = useFetchRemote(projectId);
  if (!remote) return null;
  const active = isActive(remote);
  const begin = () =>
    fetch.mutate(undefined, { onError: (error) => notifyFailed("Could not fetch", error) });
  return (
    <SectionCard
      title="Connected repository"
      description={<span style={{ overflowWrap: "anywhere" }}>{remote.url}</span>}
      action={
        owner &&
        !active && (
          <Button variant="default" loading={fetch.isPending} onClick={begin}>
            {remote.fetched_at ? "Fetch now" : "Try again"}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {active && <FetchProgress projectId={projectId} remote={remote} owner={owner} />}
        {!active && <Failure projectId={projectId} remote={remote} owner={owner} />}
        {remote.fetched_at && (
          <Text fz="sm">
            Default branch {remote.default_branch}, fetched <TimeAgo at={remote.fetched_at} />.{" "}
            Builds start from its latest commit.
          </Text>
        )}
        <Findings remote={remote} />
      </Stack>
    </SectionCard>
  );
}

function FetchProgress({ projectId, remote, owner }: RemoteCardProps & { remote: Remote }) {
  const cancel = useCancelFetch(projectId);
  const { fetch } = remote;
  const what = fetch?.kind === "import" ? "Importing" : "Fetching";
  const stage = describeStage(fetch?.progress ?? null);
  const percent = fetch?.progress?.percent ?? null;
  return (
    <div>
      <Group justify="space-between" gap="sm" mb={6}>
        <Text fz="sm" role="status">
          {fetch?.cancel_requested ? "Cancelling…" : `${what}: ${stage}`}
        </Text>
        {owner && (
          <Button
            size="xs"
            variant="default"
            loading={cancel.isPending}
            disabled={fetch?.cancel_requested}
            onClick={() =>
              cancel.mutate(undefined, {
                onError: (error) => notifyFailed("Could not cancel", error),
              })
            }
          >
            Cancel
          </Button>
        )}
      </Group>
      <Progress
        value={percent ?? 100}
        animated={percent === null}
        striped={percent === null}
        aria-label={`${what} the repository`}
      />
    </div>
  );
}

type Stage = NonNullable<NonNullable<Remote["fetch"]>["progress"]>;

function describeStage(progress: Stage | null): string {
  const percent = progress?.percent == null ? "" : ` ${progress.percent} %`;
  switch (progress?.stage) {
    case "preparing":
      return `the server prepares the objects${percent}`;
    case "receiving": {
      const mebibytes = (progress.bytes / 1024 / 1024).toFixed(1);
      return `receiving objects${percent}, ${mebibytes} MiB`;
    }
    case "checking":
      return `checking objects${percent}`;
    case "updating":
      return "updating branches";
    default:
      return "connecting";
  }
}

function Failure({ projectId, remote, owner }: RemoteCardProps & { remote: Remote }) {
  const { fetch, fetched_at: fetchedAt } = remote;
  const state = fetchedAt ? "The last fetched state is kept." : "The project has no files yet.";
  if (fetch?.status === "cancelled")
    return (
      <Alert
        color="gray"
        title={fetchedAt ? "The fetch was cancelled" : "The import was cancelled"}
      >
        {state}
      </Alert>
    );
  const failure = fetch?.status === "failed" ? fetch.failure : remote.fetch_error;
  if (!failure) return null;
  return (
    <Alert color="red" title={fetchedAt ? "The last fetch failed" : "The import failed"}>
      {failure} {state}{" "}
      {owner && fetch?.problem === "login" && (
        <Anchor component={Link} to={paths.projectSettings(projectId)} fz="sm" underline="always">
          Choose another credential
        </Anchor>
      )}
    </Alert>
  );
}

function Findings({ remote: { findings } }: { remote: Remote }) {
  if (!findings) return null;
  const { submodules, lfs_files: lfsFiles, diverged } = findings;
  return (
    <>
      {submodules.length > 0 && (
        <Alert color="yellow" title="Submodules">
          Builds see no files in {submodules.join(", ")}, because submodules are not fetched. Gates
          that need them fail.
        </Alert>
      )}
      {lfsFiles.length > 0 && (
        <Alert color="yellow" title="Git LFS">
          Builds see only the pointers of files in Git LFS, such as{" "}
          {lfsFiles.slice(0, 5).join(", ")}.
        </Alert>
      )}
      {diverged.length > 0 && (
        <Alert color="yellow" title="Rewritten branches">
          {diverged.join(", ")} changed at the remote in a way that does not continue the commits
          here, so the branch here is not moved.
        </Alert>
      )}
    </>
  );
}
