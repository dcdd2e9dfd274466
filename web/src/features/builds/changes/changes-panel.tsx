import { Box, Center, Group, Loader, Select, Text, TextInput } from "@mantine/core";
import { IconFileDiff, IconRobot, IconSearch, IconUser } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { ChangeCounts } from "@/components/change-counts";
import { DiffFrame } from "@/components/code/diff-frame";
import { DiffView } from "@/components/code/diff-view";
import { FileList } from "@/components/code/file-list";
import { treeRows } from "@/components/code/file-tree";
import { TruncatedNote } from "@/components/code/truncated-note";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { useActions } from "@/domain/actions";
import type { DiffFile } from "@/lib/api";
import { plural, shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useChangedFiles, useCommits, useFileDiff } from "./api";
import { type DiffLocation, useDiffLocation } from "./use-diff-location";

export default function ChangesPanel({ buildId }: { buildId: string }) {
  const [location, setPlace, linkTo] = useDiffLocation();
  const { commit } = location;
  const commits = useCommits(buildId).data ?? [];
  const query = useChangedFiles(buildId, commit);
  const choices = [
    { value: "all", label: "All changes since the baseline" },
    ...commits.map(({ sha, title }) => ({ value: sha, label: `${shortSha(sha)} ${title}` })),
  ];
  return (
    <QueryView query={query} what="changes">
      {({ files, truncated }) => {
        const selected = files.some((file) => file.path === location.file)
          ? location.file
          : (treeRows(files).find((row) => row.kind === "file")?.key ?? null);
        return (
          <DiffFrame
            files={
              <>
                <Box pt={8} px={12} pb={6}>
                  <Select
                    aria-label="Commit"
                    size="xs"
                    data={choices}
                    value={commit ?? "all"}
                    allowDeselect={false}
                    comboboxProps={{ width: 340, position: "bottom-start" }}
                    renderOption={({ option }) => (
                      <CommitOption
                        label={option.label}
                        kind={commits.find(({ sha }) => sha === option.value)?.author_kind}
                      />
                    )}
                    onChange={(value) =>
                      setPlace({ commit: value === "all" ? null : value, file: location.file })
                    }
                  />
                </Box>
                <Files
                  files={files}
                  truncated={truncated}
                  selected={selected}
                  onSelect={(file) => setPlace({ commit, file })}
                />
              </>
            }
          >
            {selected ? (
              <SelectedFile
                key={selected}
                buildId={buildId}
                place={{ ...location, file: selected }}
                onLine={(line) => linkTo({ commit, file: selected, line })}
              />
            ) : (
              <EmptyState order={3} icon={<IconFileDiff size={22} />} title="No changes yet">
                Files appear here when an agent changes them.
              </EmptyState>
            )}
          </DiffFrame>
        );
      }}
    </QueryView>
  );
}

function CommitOption({ label, kind }: { label: string; kind: "forge" | "human" | undefined }) {
  const Icon = kind === "human" ? IconUser : IconRobot;
  const by = kind === "human" ? "By a user" : "By ForgeGuard";
  return (
    <Group gap={6} wrap="nowrap">
      {kind && <Icon size={14} role="img" aria-label={by} />}
      <span>{label}</span>
    </Group>
  );
}

interface FilesProps {
  files: DiffFile[];
  truncated: boolean;
  selected: string | null;
  onSelect: (path: string) => void;
}

function Files({ files, truncated, selected, onSelect }: FilesProps) {
  const [search, setSearch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const words = search.trim().toLowerCase();
  const found = words ? files.filter(({ path }) => path.toLowerCase().includes(words)) : files;
  const sum = (of: "insertions" | "deletions") => found.reduce((all, file) => all + file[of], 0);
  useActions([{ name: "searchFiles", run: () => field.current?.focus() }]);
  return (
    <>
      <Group gap="6px 0.75rem" px="sm" pb={6} style={{ borderBottom: "1px solid var(--line)" }}>
        <TextInput
          flex="1 1 11rem"
          ref={field}
          aria-label="Search changed files"
          placeholder="Search files"
          size="xs"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Text fz="xs" c="dimmed" role="status">
          {words ? `${found.length} of ` : ""}
          {plural(files.length, "file")}{" "}
          <ChangeCounts insertions={sum("insertions")} deletions={sum("deletions")} />
        </Text>
        {truncated && <TruncatedNote />}
      </Group>
      <FileList key={words} files={found} selected={selected} onSelect={onSelect} />
    </>
  );
}

interface SelectedFileProps {
  buildId: string;
  place: DiffLocation & { file: string };
  onLine: (line: string) => void;
}

function SelectedFile({ buildId, place, onLine }: SelectedFileProps) {
  const query = useFileDiff(buildId, place.commit, place.file);
  return (
    <QueryView
      query={query}
      what="diff"
      loading={
        <Center h="100%">
          <Loader aria-label="Loading diff" />
        </Center>
      }
    >
      {(diff) => (
        <DiffView
          diff={diff}
          marked={place.line}
          onLine={onLine}
          pictureOf={(side, path) => paths.picture("builds", buildId, side, path, place.commit)}
        />
      )}
    </QueryView>
  );
}
