import { Autocomplete, Button } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { QueryView } from "@/components/query-view";
import type { Schemas } from "@/lib/api";
import { ApiError } from "@/lib/api-error";
import { useReadSpec, useSpecDocuments } from "./api";
import { ReadSpecButton, type SpecSourceProps } from "./read-spec-button";

/** Reads a spec on the default branch into the form. */
export function SpecFromRepository({ projectId, onRead }: SpecSourceProps) {
  return (
    <ReadSpecButton
      label="From the repository"
      icon={<IconGitBranch size={14} aria-hidden />}
      title="Read a spec from the repository"
      onRead={onRead}
    >
      {(form) => <Documents projectId={projectId} {...form} />}
    </ReadSpecButton>
  );
}

interface DocumentsProps extends SpecSourceProps {
  onClose: () => void;
}

function Documents(props: DocumentsProps) {
  const query = useSpecDocuments(props.projectId);
  return (
    <QueryView query={query} what="files">
      {(found) => <Chooser {...props} found={found} />}
    </QueryView>
  );
}

function Chooser({
  projectId,
  onClose,
  onRead,
  found,
}: DocumentsProps & { found: Schemas["SpecDocumentList"] }) {
  const read = useReadSpec(projectId);
  const [path, setPath] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog is inside of another form.
    event.stopPropagation();
    read.mutate(path.trim(), { onSuccess: ({ text }) => onRead(text) });
  };
  const rejected = read.error instanceof ApiError ? read.error.fields.path : undefined;
  const paths = found.items.map((item) => item.path);
  return (
    <Form onSubmit={submit} error={rejected ? null : read.error}>
      <Autocomplete
        label="File or folder"
        description={
          found.sha
            ? `At ${found.sha.slice(0, 7)} of the default branch. A folder is read as one spec: spec.md, requirements.md, plan.md, design.md, tasks.md.`
            : "The default branch has no commit yet."
        }
        placeholder={paths[0] ?? "docs/spec.md"}
        data={paths}
        limit={50}
        maxDropdownHeight={240}
        data-autofocus
        error={rejected}
        value={path}
        onChange={setPath}
      />
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={read.isPending} disabled={!path.trim()}>
          Read
        </Button>
      </DialogActions>
    </Form>
  );
}
