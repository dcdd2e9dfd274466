import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { Form } from "@/components/form";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import type { Schemas } from "@/lib/api";
import { ApiError } from "@/lib/api-error";
import { notifyDone } from "@/lib/notify";
import { useUnsavedChanges } from "@/lib/unsaved-changes";
import { useSpec, useSubmitSpec } from "./api";
import { SpecFields } from "./spec-fields";
import { SpecFromIssue } from "./spec-from-issue";
import { SpecFromRepository } from "./spec-from-repository";

type ProjectSpec = Schemas["ProjectSpec"];

interface SpecCardProps {
  projectId: string;
  hasRemote: boolean;
}

/** The spec of a project, and the form for its next version. */
export function SpecCard({ projectId, hasRemote }: SpecCardProps) {
  const query = useSpec(projectId);
  return (
    <SectionCard
      title="Spec"
      description="A new version rewrites the blueprint, the phases and the builder directive, and its test command becomes a required gate. Builds in progress keep the version they started with."
    >
      <QueryView query={query} what="spec">
        {({ spec }) => (
          <SpecForm
            key={spec?.version ?? 0}
            projectId={projectId}
            hasRemote={hasRemote}
            spec={spec}
          />
        )}
      </QueryView>
    </SectionCard>
  );
}

function SpecForm({ projectId, hasRemote, spec }: SpecCardProps & { spec: ProjectSpec | null }) {
  const submit = useSubmitSpec();
  const [text, setText] = useState(spec?.text ?? "");
  const isChanged = text !== (spec?.text ?? "");
  useUnsavedChanges(() => isChanged);
  const version = spec?.version ?? 0;
  const send = () =>
    submit.mutate(
      { project: projectId, text, version },
      { onSuccess: (saved) => notifyDone(`Version ${saved.version} of the spec saved.`) },
    );
  const rejected = submit.error instanceof ApiError ? submit.error.fields.text : undefined;
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      error={rejected ? null : submit.error}
    >
      {spec ? (
        <Text fz="sm">Version {version}</Text>
      ) : (
        <Text fz="sm">This project has no spec yet.</Text>
      )}
      <SpecFields
        text={text}
        onChange={setText}
        error={rejected}
        actions={
          <>
            <SpecFromRepository projectId={projectId} onRead={setText} />
            {hasRemote && <SpecFromIssue projectId={projectId} onRead={setText} />}
          </>
        }
      />
      <Group justify="flex-end">
        <Button type="submit" loading={submit.isPending} disabled={!isChanged || !text.trim()}>
          {spec ? "Replace spec" : "Add spec"}
        </Button>
      </Group>
    </Form>
  );
}
