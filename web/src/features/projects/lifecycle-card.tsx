import { Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { ConfirmButton } from "@/components/confirm-button";
import { DialogActions } from "@/components/dialog-actions";
import { PlainList, PlainListItem } from "@/components/plain-list";
import { SectionCard } from "@/components/section-card";
import type { Project } from "@/lib/api";
import { ApiError, messageOf } from "@/lib/api-error";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { useArchiveProject, useDeleteProject, useTransferProject } from "./api";

/** Archiving, transferring and deleting the project. */
export function LifecycleCard({ project }: { project: Project }) {
  return (
    <SectionCard title="Archive, transfer or delete">
      <PlainList>
        <Archive project={project} />
        <Transfer project={project} />
        <Delete project={project} />
      </PlainList>
    </SectionCard>
  );
}

interface RowProps {
  title: string;
  about: string;
  children: ReactNode;
}

function Row({ title, about, children }: RowProps) {
  return (
    <PlainListItem>
      <Stack gap={2} style={{ minWidth: 0, flex: "1 1 14rem" }}>
        <Text fw={550}>{title}</Text>
        <Text fz="sm" c="dimmed">
          {about}
        </Text>
      </Stack>
      {children}
    </PlainListItem>
  );
}

function Archive({ project }: { project: Project }) {
  const archive = useArchiveProject(project.id);
  const isArchived = project.archived_at !== null;
  // The settings are replaced meanwhile, which would drop callbacks of `mutate`.
  const run = (archived: boolean) =>
    archive.mutateAsync(archived).then(
      () => notifyDone(archived ? "Project archived." : "Project unarchived."),
      (error) => notifyFailed(`Could not ${archived ? "archive" : "unarchive"} the project`, error),
    );
  return isArchived ? (
    <Row title="Unarchive project" about="The project can be changed and built again.">
      <Button
        variant="default"
        size="xs"
        loading={archive.isPending}
        onClick={() => void run(false)}
      >
        Unarchive project
      </Button>
    </Row>
  ) : (
    <Row
      title="Archive project"
      about="The project becomes read-only and is hidden from the list. You can unarchive it."
    >
      <ConfirmButton
        variant="default"
        size="xs"
        loading={archive.isPending}
        title={`Archive ${project.name}?`}
        body="The project cannot be changed and no build can start until you unarchive it."
        confirm="Archive"
        onConfirm={() => void run(true)}
      >
        Archive project
      </ConfirmButton>
    </Row>
  );
}

function Transfer({ project }: { project: Project }) {
  const [opened, dialog] = useDisclosure(false);
  const [email, setEmail] = useState("");
  const transfer = useTransferProject(project.id);
  const navigate = useNavigate();
  const { error } = transfer;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    transfer.mutateAsync(email).then(
      ({ owner }) => {
        notifyDone(`${owner.name} now owns ${project.name}.`);
        navigate(paths.project(project.id));
      },
      () => {}, // The form shows the error.
    );
  };
  return (
    <Row title="Transfer project" about="Another user becomes its owner. You stay as a viewer.">
      <Button variant="default" size="xs" onClick={dialog.open}>
        Transfer project
      </Button>
      <Modal
        opened={opened}
        onClose={dialog.close}
        title={`Transfer ${project.name}`}
        centered
        zIndex={320}
      >
        <form onSubmit={submit} noValidate>
          <Text fz="sm" mb="md">
            The new owner can change, build and delete the project. You can only view it, and you
            still cannot approve its builds.
          </Text>
          <TextInput
            label="Email address of the new owner"
            type="email"
            data-autofocus
            value={email}
            onChange={({ currentTarget }) => {
              setEmail(currentTarget.value);
              transfer.reset();
            }}
            error={error && ((error instanceof ApiError && error.fields.email) || messageOf(error))}
          />
          <DialogActions onCancel={dialog.close}>
            <Button type="submit" loading={transfer.isPending} disabled={email.trim() === ""}>
              Transfer
            </Button>
          </DialogActions>
        </form>
      </Modal>
    </Row>
  );
}

function Delete({ project }: { project: Project }) {
  const [opened, dialog] = useDisclosure(false);
  const [typed, setTyped] = useState("");
  const remove = useDeleteProject(project.id);
  const navigate = useNavigate();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutateAsync().then(
      () => {
        notifyDone(`${project.name} was deleted.`);
        navigate(paths.home);
      },
      () => {}, // The form shows the error.
    );
  };
  return (
    <Row title="Delete project" about="The project and its builds are no longer accessible.">
      <Button variant="default" size="xs" c="var(--tone-bad-text)" onClick={dialog.open}>
        Delete project
      </Button>
      <Modal
        opened={opened}
        onClose={dialog.close}
        title={`Delete ${project.name}?`}
        centered
        zIndex={320}
      >
        <form onSubmit={submit} noValidate>
          <Text fz="sm" mb="md">
            This cannot be undone. Repository and journals stay on the server's disk, but cannot be
            opened here.
          </Text>
          <TextInput
            label={`Type “${project.name}” to confirm`}
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={remove.error && messageOf(remove.error)}
          />
          <DialogActions onCancel={dialog.close}>
            <Button
              type="submit"
              color="red"
              loading={remove.isPending}
              disabled={typed.trim() !== project.name}
            >
              Delete project
            </Button>
          </DialogActions>
        </form>
      </Modal>
    </Row>
  );
}
