import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconStack2 } from "@tabler/icons-react";
import { useNavigate } from "react-router";
import { ConfirmModal } from "@/components/confirm-modal";
import { plural } from "@/lib/format";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { type ProjectRequirement, useAddToBacklog } from "./api";

interface AddToBacklogProps {
  projectId: string;
  requirements: ProjectRequirement[];
}

/** Creates items in the backlog for the requirements that are not proven. */
export function AddToBacklog({ projectId, requirements }: AddToBacklogProps) {
  const add = useAddToBacklog(projectId);
  const navigate = useNavigate();
  const [asks, { open, close }] = useDisclosure(false);
  const unproven = requirements.filter(({ state }) => state !== "proven");
  if (unproven.length === 0) return null;
  const create = () =>
    add.mutate(unproven, {
      onSuccess: (added) => {
        notifyDone(`${plural(added, "item")} added to the backlog.`);
        navigate(paths.backlog(projectId));
      },
      onError: (error) => notifyFailed("Could not add the items", error),
    });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconStack2 size={16} aria-hidden />}
        loading={add.isPending}
        onClick={open}
      >
        Create backlog items
      </Button>
      <ConfirmModal
        opened={asks}
        onClose={close}
        title="Create backlog items from these requirements?"
        body={`An item is added for each of the ${plural(unproven.length, "requirement")} that the newest sealed build does not prove. Requirements that have an item keep it. Nothing starts.`}
        confirm="Create items"
        color="indigo"
        onConfirm={create}
      />
    </>
  );
}
