import { Button, Modal, Tabs, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { DialogActions } from "@/components/dialog-actions";
import { Form } from "@/components/form";
import { tooLong } from "@/domain/message-length";
import { createDraftStore } from "@/lib/draft-store";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { showFieldErrors } from "@/lib/show-field-errors";
import { useCreateProject } from "./api";
import { SpecProject } from "./spec-project";

const EMPTY = { name: "", description: "", words: "" };

interface NewProjectProps {
  opened: boolean;
  onClose: () => void;
  /** Saves the description of a new project; returns the path to continue at. */
  startFromWords: (project: string, words: string) => Promise<string>;
  /** The form for a project from an existing repository. */
  connectForm: (onClose: () => void) => ReactNode;
}

export function NewProject({ opened, onClose, startFromWords, connectForm }: NewProjectProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project" centered size="lg">
      <Tabs defaultValue="connect" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="connect" px={{ base: 6, xs: "md" }}>
            Connect a repository
          </Tabs.Tab>
          <Tabs.Tab value="describe" px={{ base: 6, xs: "md" }}>
            Start from a description
          </Tabs.Tab>
          <Tabs.Tab value="spec" px={{ base: 6, xs: "md" }}>
            Start from a spec
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="connect">{connectForm(onClose)}</Tabs.Panel>
        <Tabs.Panel value="describe">
          <DescribedProject onClose={onClose} startFromWords={startFromWords} />
        </Tabs.Panel>
        <Tabs.Panel value="spec">
          <SpecProject onClose={onClose} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}

/** A project with an empty repository, to which an existing one can be pushed. */
function DescribedProject({
  onClose,
  startFromWords,
}: Pick<NewProjectProps, "onClose" | "startFromWords">) {
  const create = useCreateProject();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  // Closing the dialog or the page keeps the text.
  const [draft] = useState(() => createDraftStore("new-project", check, sessionStorage));
  const form = useForm({
    initialValues: draft.read() ?? EMPTY,
    validate: {
      name: (value) => (value.trim() ? null : "Enter a name"),
      words: tooLong,
    },
    onValuesChange: draft.write,
  });
  const close = () => {
    onClose();
    create.reset();
  };
  const begin = async (project: string, words: string): Promise<string> => {
    const form = paths.questionnaire(project);
    if (!words.trim()) return form;
    return startFromWords(project, words).catch((error) => {
      notifyFailed("Could not save the description", error);
      return form;
    });
  };
  const submit = form.onSubmit(async ({ words, ...values }) => {
    setBusy(true);
    try {
      const project = await create.mutateAsync(values);
      const path = await begin(project.id, words);
      close();
      form.setValues(EMPTY);
      draft.clear();
      navigate(path);
    } catch (error) {
      showFieldErrors(form)(error);
    }
    setBusy(false);
  });
  return (
    <Form onSubmit={submit} error={create.error}>
      <TextInput label="Name" maxLength={120} data-autofocus {...form.getInputProps("name")} />
      <TextInput
        label="Description"
        description="One sentence, shown in the list of projects"
        maxLength={2000}
        {...form.getInputProps("description")}
      />
      <Textarea
        label="Describe your project"
        description="Optional: what it does, who uses it, and what for. It is used to answer the questionnaire."
        autosize
        minRows={6}
        maxRows={16}
        attributes={{ input: { dir: "auto" } }}
        {...form.getInputProps("words")}
      />
      <DialogActions onCancel={close}>
        <Button type="submit" loading={busy}>
          Create project
        </Button>
      </DialogActions>
    </Form>
  );
}

function check(value: unknown): typeof EMPTY | null {
  const { name, description, words } = (value ?? {}) as Partial<typeof EMPTY>;
  const texts = [name, description, words];
  return texts.every((text) => typeof text === "string") ? (value as typeof EMPTY) : null;
}
