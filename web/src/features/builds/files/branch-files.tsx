import { Anchor, Box, Group, Stack, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { IconFiles, IconSearch } from "@tabler/icons-react";
import { type ReactNode, useMemo, useState } from "react";
import { Link, useNavigate } from "react-router";
import { DiffFrame } from "@/components/code/diff-frame";
import { FileList } from "@/components/code/file-list";
import { otherFolders } from "@/components/code/file-tree";
import { CopyIcon } from "@/components/copy-icon";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { usePageTitle } from "@/domain/use-page-title";
import { plural, shortSha } from "@/lib/format";
import { type TreeSource, useTree, useTreeFile } from "./api";
import { FileText } from "./file-text";

interface BranchFilesProps {
  source: TreeSource;
  /** Empty while no file is chosen. */
  path: string;
  /** The first heading, which is not visible. */
  title: string;
  back: { to: string; label: string };
  /** The address of a file; of the whole tree if it is empty. */
  pathTo: (file: string) => string;
  /** Chooses another commit. */
  commitSelect?: ReactNode;
}

/** The files of a branch at one of its commits. */
export function BranchFiles({ source, path, title, back, pathTo, commitSelect }: BranchFilesProps) {
  const { commit } = source;
  const navigate = useNavigate();
  const tree = useTree(source);
  const [search, setSearch] = useState("");
  usePageTitle(path || "Files", back.label);
  const words = search.trim().toLowerCase();
  const files = useMemo(
    () => tree.data?.files.filter((file) => file.path.toLowerCase().includes(words)) ?? [],
    [tree.data, words],
  );
  return (
    <Stack gap={0} flex={1} mih={0} component="section" aria-label="Files">
      <VisuallyHidden component="h1">{title}</VisuallyHidden>
      <Group gap="xs" px="sm" py={6} style={{ borderBottom: "1px solid var(--line)" }}>
        <Anchor component={Link} to={back.to} fz="sm">
          {back.label}
        </Anchor>
        <Breadcrumb path={path} rootTo={pathTo("")} />
      </Group>
      <Box flex={1} mih={0}>
        <QueryView query={tree} what="files">
          {({ truncated }) => (
            <DiffFrame
              files={
                <>
                  <Stack gap={6} px="sm" py={8} style={{ borderBottom: "1px solid var(--line)" }}>
                    {commitSelect}
                    <TextInput
                      aria-label="Search files"
                      placeholder="Search files"
                      size="xs"
                      leftSection={<IconSearch size={14} aria-hidden />}
                      value={search}
                      onChange={(event) => setSearch(event.currentTarget.value)}
                    />
                    <Text fz="xs" c="dimmed" role="status">
                      {plural(files.length, "file")}
                      {truncated && ". There are more than this list contains."}
                    </Text>
                  </Stack>
                  <FileList
                    key={`${commit}:${words}`}
                    label="Files"
                    files={files}
                    selected={path}
                    closedAtFirst={words === "" ? otherFolders(files, path) : undefined}
                    describe={describeFile}
                    onSelect={(file) => navigate(pathTo(file))}
                  />
                </>
              }
            >
              {path === "" ? (
                <EmptyState order={2} icon={<IconFiles size={22} />} title="Choose a file">
                  The files are those of commit {shortSha(commit)}.
                </EmptyState>
              ) : (
                <File key={`${commit}:${path}`} source={source} path={path} />
              )}
            </DiffFrame>
          )}
        </QueryView>
      </Box>
    </Stack>
  );
}

const describeFile = ({ path }: { path: string }, name: string) => ({
  label: path,
  title: path,
  content: (
    <Text span fz="sm" truncate>
      {name}
    </Text>
  ),
});

function File({ source, path }: { source: TreeSource; path: string }) {
  return (
    <QueryView query={useTreeFile(source, path)} what="file">
      {(file) => <FileText file={file} />}
    </QueryView>
  );
}

function Breadcrumb({ path, rootTo }: { path: string; rootTo: string }) {
  const parts = path.split("/");
  return (
    <Group component="nav" aria-label="File" gap={4} miw={0}>
      <Anchor component={Link} to={rootTo} fz="sm">
        Files
      </Anchor>
      {path !== "" && (
        <>
          <Text span fz="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            / {parts.join(" / ")}
          </Text>
          <CopyIcon value={path} what="path" />
        </>
      )}
    </Group>
  );
}
