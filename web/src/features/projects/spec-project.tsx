import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useNavigate } from "react-router";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { createDraftStore } from "@/lib/draft-store";
import { paths } from "@/lib/paths";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useCreateProject, useSubmitSpec } from "./api";
import { SpecFields } from "./spec-fields";

const EMPTY = { name: "", text: "", project: "" };

/** A project whose contracts follow from a spec. */
export function SpecProject({ onClose }: { onClose: () => void }) {
  const create = useCreateProject();
  const submitSpec = useSubmitSpec();
  const navigate = useNavigate();
  // Closing the dialog or the page keeps the text.
  const [draft] = useState(() => createDraftStore("spec-project", check, sessionStorage));
  const form = useForm({
    initialValues: draft.read() ?? EMPTY,
    validate: {
      name: (value) => (value.trim() ? null : "Enter a name"),
      text: (value) => (value.trim() ? null : "Paste a spec, or upload files"),
    },
    onValuesChange: draft.write,
  });
  const submit = form.onSubmit(async ({ name, text, project }) => {
    try {
      // A spec that was rejected is submitted again to the same project.
      const id = project || (await create.mutateAsync({ name, description: "" })).id;
      form.setFieldValue("project", id);
      await submitSpec.mutateAsync({ project: id, text });
      onClose();
      form.setValues(EMPTY);
      draft.clear();
      navigate(paths.contracts(id));
    } catch (error) {
      showFieldErrors(form)(error);
    }
  });
  return (
    <Form onSubmit={submit} error={create.error ?? submitSpec.error}>
      <TextInput label="Name" maxLength={120} data-autofocus {...form.getInputProps("name")} />
      <SpecFields
        text={form.values.text}
        onChange={(text) => form.setFieldValue("text", text)}
        error={form.errors.text ? String(form.errors.text) : undefined}
      />
      <DialogActions onCancel={onClose}>
        <Button type="submit" loading={create.isPending || submitSpec.isPending}>
          Create project
        </Button>
      </DialogActions>
    </Form>
  );
}

function check(value: unknown): typeof EMPTY | null {
  const { name, text, project } = (value ?? {}) as Partial<typeof EMPTY>;
  const texts = [name, text, project];
  return texts.every((it) => typeof it === "string") ? (value as typeof EMPTY) : null;
}
