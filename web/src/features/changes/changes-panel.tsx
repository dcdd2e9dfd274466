import { Center, Loader, Select } from "@mantine/core";
import { IconFileDiff } from "@tabler/icons-react";
import { useState } from "react";
import { DiffView } from "@/components/code/diff-view";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { plural, shortSha } from "@/lib/format";
import { useChangedFiles, useCommits, useFileDiff } from "./api";
import classes from "./changes.module.css";

import { FileList } from "./file-list";
import { treeRows } from "./file-tree";

export default function ChangesPanel({ buildId }: { buildId: string }) {
  const [commit, setCommit] = useState<string | null>(null);
  const [picked, setPicked] = useState<string | null>(null);
  const commits = useCommits(buildId).data ?? [];
  const query = useChangedFiles(buildId, commit);
  const choices = [
    { value: "all", label: "All changes since the baseline" },
    ...commits.map(({ sha, title }) => ({ value: sha, label: `${shortSha(sha)} ${title}` })),
  ];
  return (
    <QueryView query={query} what="the changes">
      {(files) => {
        const selected = files.some((file) => file.path === picked)
          ? picked
          : (treeRows(files).find((row) => row.kind === "file")?.key ?? null);
        return (
          <div className={classes.panel}>
            <div className={classes.files}>
              <div className={classes.filesHead}>
                <Select
                  aria-label="Which changes"
                  size="xs"
                  data={choices}
                  value={commit ?? "all"}
                  allowDeselect={false}
                  description={plural(files.length, "file")}
                  inputWrapperOrder={["input", "description"]}
                  comboboxProps={{ width: 340, position: "bottom-start" }}
                  onChange={(value) => setCommit(value === "all" ? null : value)}
                />
              </div>
              <FileList files={files} selected={selected} onSelect={setPicked} />
            </div>
            {selected ? (
              <SelectedFile key={selected} buildId={buildId} commit={commit} path={selected} />
            ) : (
              <EmptyState
                order={3}
                icon={<IconFileDiff size={22} />}
                title="Nothing has changed yet"
              >
                Files appear here as soon as an agent writes one.
              </EmptyState>
            )}
          </div>
        );
      }}
    </QueryView>
  );
}

function SelectedFile({
  buildId,
  commit,
  path,
}: {
  buildId: string;
  commit: string | null;
  path: string;
}) {
  const query = useFileDiff(buildId, commit, path);
  return (
    <QueryView
      query={query}
      what="the diff"
      loading={
        <Center h="100%">
          <Loader aria-label="Loading the diff" />
        </Center>
      }
    >
      {(diff) => <DiffView diff={diff} />}
    </QueryView>
  );
}
