import { Button, TextInput } from "@mantine/core";
import { IconCircleDot } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { ApiError } from "@/lib/api-error";
import { useReadIssue } from "./api";
import { ReadSpecButton, type SpecSourceProps } from "./read-spec-button";

/** Reads an issue at the project's remote into the form. */
export function SpecFromIssue({ projectId, onRead }: SpecSourceProps) {
  return (
    <ReadSpecButton
      label="From an issue"
      icon={<IconCircleDot size={14} aria-hidden />}
      title="Read a spec from an issue"
      onRead={onRead}
    >
      {(form) => <IssueForm projectId={projectId} {...form} />}
    </ReadSpecButton>
  );
}

function IssueForm({ projectId, onClose, onRead }: SpecSourceProps & { onClose: () => void }) {
  const read = useReadIssue(projectId);
  const [issue, setIssue] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog is inside of another form.
    event.stopPropagation();
    read.mutate(issue.trim(), { onSuccess: ({ text }) => onRead(text) });
  };
  const rejected = read.error instanceof ApiError ? read.error.fields.issue : undefined;
  return (
    <Form onSubmit={submit} error={rejected ? null : read.error}>
      <TextInput
        label="Issue"
        description="Its number, or the address of its page at the remote. The text is read once: later edits of the issue change nothing."
        placeholder="12"
        maxLength={2000}
        data-autofocus
        error={rejected}
        value={issue}
        onChange={(event) => setIssue(event.currentTarget.value)}
      />
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={read.isPending} disabled={!issue.trim()}>
          Read
        </Button>
      </DialogActions>
    </Form>
  );
}
