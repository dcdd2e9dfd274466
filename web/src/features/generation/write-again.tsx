import { Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ConfirmModal } from "@/components/confirm-modal";
import type { ContractType } from "@/lib/api";
import { CONTRACT_TYPES, contractName } from "@/lib/contract-names";
import { plural } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { useWriteAgain } from "./api";

interface WriteAgainProps {
  projectId: string;
  type: ContractType;
  /** Whether contracts of the project are being written already. */
  busy: boolean;
}

/** Has one contract written anew, or it and all that follow from it. */
export function WriteAgain({ projectId, type, busy }: WriteAgainProps) {
  const write = useWriteAgain(projectId);
  const navigate = useNavigate();
  const [asking, { open, close }] = useDisclosure(false);
  const [following, setFollowing] = useState(false);
  const after = CONTRACT_TYPES.length - 1 - CONTRACT_TYPES.indexOf(type);
  const name = contractName(type);
  const ask = (withFollowing: boolean) => {
    setFollowing(withFollowing);
    open();
  };
  const start = () =>
    write.mutate(
      { type, following },
      {
        onSuccess: () => following && navigate(paths.contracts(projectId)),
        onError: (error) => notifyFailed(`${name} is not written again`, error),
      },
    );

  return (
    <>
      <Menu position="bottom-end" withinPortal shadow="md">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            loading={write.isPending}
            disabled={busy}
            title={busy ? "Contracts are being written right now" : undefined}
          >
            Write again
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => ask(false)}>Only this one</Menu.Item>
          {after > 0 && (
            <Menu.Item onClick={() => ask(true)}>
              This and the {after === 1 ? "one" : after} after it
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmModal
        opened={asking}
        title={following ? `Write ${plural(after + 1, "contract")} again?` : `Write ${name} again?`}
        body={
          following
            ? `${name} and all that come after it are written anew from your answers. The current versions stay in the history, where each can be restored.`
            : `${name} is written anew from your answers. The current version stays in the history, where it can be restored. The other contracts stay as they are.`
        }
        confirm="Write again"
        color="indigo"
        onConfirm={start}
        onClose={close}
      />
    </>
  );
}
