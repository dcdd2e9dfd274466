import { Button, Menu, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ConfirmModal } from "@/components/confirm-modal";
import { CONTRACT_TYPES, contractName } from "@/domain/contract-names";
import type { ContractType } from "@/lib/api";
import { plural } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import { paths } from "@/lib/paths";
import { useWriteAgain } from "./api";

const MAX_NOTE_LENGTH = 2_000;

interface WriteAgainProps {
  projectId: string;
  type: ContractType;
  /** Whether a generation is running already. */
  busy: boolean;
}

/** Regenerates one contract, or also all that depend on it. */
export function RegenerateContract({ projectId, type, busy }: WriteAgainProps) {
  const write = useWriteAgain(projectId);
  const navigate = useNavigate();
  const [asking, { open, close }] = useDisclosure(false);
  const [following, setFollowing] = useState(false);
  const [note, setNote] = useState("");
  const after = CONTRACT_TYPES.length - 1 - CONTRACT_TYPES.indexOf(type);
  const name = contractName(type);
  const ask = (withFollowing: boolean) => {
    setFollowing(withFollowing);
    open();
  };
  const start = () =>
    write.mutate(
      { type, following, note },
      {
        onSuccess: () => {
          setNote("");
          if (following) navigate(paths.contracts(projectId));
        },
        onError: (error) => notifyFailed(`Could not regenerate ${name}`, error),
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
            title={busy ? "Contracts are being generated" : undefined}
          >
            Regenerate
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => ask(false)}>Only this contract</Menu.Item>
          {after > 0 && (
            <Menu.Item onClick={() => ask(true)}>
              This and the {after === 1 ? "one" : after} after it
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmModal
        opened={asking}
        title={following ? `Regenerate ${plural(after + 1, "contract")}?` : `Regenerate ${name}?`}
        body={
          <>
            {following
              ? `${name} and all contracts after it are regenerated from your answers. The current versions stay in the history and can be restored.`
              : `${name} is regenerated from your answers. The current version stays in the history and can be restored. Other contracts are not changed.`}
            <Textarea
              mt="sm"
              label="What should change?"
              description="Optional. The model also gets the current text and its findings."
              autosize
              minRows={2}
              maxLength={MAX_NOTE_LENGTH}
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
          </>
        }
        confirm="Regenerate"
        color="indigo"
        onConfirm={start}
        onClose={close}
      />
    </>
  );
}
