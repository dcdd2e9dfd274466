import { Alert, Box, Button, Group, Modal, Text } from "@mantine/core";
import { DialogActions } from "@/components/dialog-actions";
import { contractName } from "@/domain/contract-names";
import type { ContractSummary } from "@/lib/api";
import { ApiError, messageOf, needsConfirmation } from "@/lib/api-error";
import { plural } from "@/lib/format";
import { notifyDone } from "@/lib/notify";
import { useImportContracts } from "../api";
import type { ImportFiles } from "./import-files";

interface ImportDialogProps {
  projectId: string;
  contracts: ContractSummary[];
  files: ImportFiles;
  onClose: () => void;
}

/** Shows what the files would replace, and imports all of them or none. */
export function ImportDialog({ projectId, contracts, files, onClose }: ImportDialogProps) {
  const send = useImportContracts(projectId);
  const { found, leftOut } = files;
  const errors = send.error instanceof ApiError ? send.error.fields : {};

  const isUnconfirmed = needsConfirmation(send.error);
  const take = () =>
    send.mutate(
      { found, confirm: isUnconfirmed },
      {
        onSuccess: () => {
          notifyDone(`${plural(found.length, "contract")} imported.`);
          onClose();
        },
      },
    );

  return (
    <Modal opened onClose={onClose} title="Import contracts" size="lg">
      <Text fz="sm">
        {found.length === 0
          ? "None of these files has the name of a contract. Use the names of the export, such as manifesto.md, physics.yaml or boundaries.json."
          : "Each file becomes the latest version of its contract. Older versions stay in the history."}
      </Text>
      {send.isError && (
        <Alert color={isUnconfirmed ? "yellow" : "red"} role="alert" mt="sm" p="sm">
          {isUnconfirmed
            ? "Nothing was imported yet: a file has less than a fifth of the current text. The current versions stay in the history."
            : Object.keys(errors).length > 0
              ? "Nothing was imported, because some files are invalid. See below."
              : messageOf(send.error)}
        </Alert>
      )}
      <Box component="ul" mt="md" className="plain-list lined">
        {found.map(({ type, file }) => (
          <Box component="li" key={type} py="xs">
            <Group justify="space-between" gap="0.125rem 1rem" fz="sm">
              <Text span fz="sm" fw={600}>
                {contractName(type)}
              </Text>
              <span>{replaces(contracts.find((contract) => contract.type === type))}</span>
            </Group>
            <Text fz="xs" c="dimmed">
              {file.name}
            </Text>
            {errors[`contracts.${type}`] && (
              <Text fz="sm" c="var(--mantine-color-error)">
                {errors[`contracts.${type}`]}
              </Text>
            )}
          </Box>
        ))}
        {leftOut.map(({ name, reason }, index) => (
          <Box
            component="li"
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
            key={index}
            py="xs"
          >
            <Group justify="space-between" gap="0.125rem 1rem" fz="sm">
              <Text span fz="sm">
                {name}
              </Text>
              <Text span fz="sm" c="dimmed">
                Skipped: {reason}
              </Text>
            </Group>
          </Box>
        ))}
      </Box>
      <DialogActions cancel={found.length === 0 ? "Close" : "Cancel"} onCancel={onClose}>
        {found.length > 0 && (
          <Button loading={send.isPending} onClick={take}>
            {isUnconfirmed ? "Import anyway" : `Import ${plural(found.length, "contract")}`}
          </Button>
        )}
      </DialogActions>
    </Modal>
  );
}

const replaces = (contract: ContractSummary | undefined) =>
  !contract || contract.source === "template"
    ? "First version"
    : `Replaces version ${contract.version}`;
