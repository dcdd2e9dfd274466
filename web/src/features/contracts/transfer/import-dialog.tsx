import { Alert, Button, Group, Modal, Text } from "@mantine/core";
import { contractName } from "@/domain/contract-names";
import type { ContractSummary } from "@/lib/api";
import { ApiError, messageOf, needsConfirmation } from "@/lib/api-error";
import { plural } from "@/lib/format";
import { notifyDone } from "@/lib/notify";
import { useImportContracts } from "../api";
import classes from "./import-dialog.module.css";
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
      <ul className={classes.list}>
        {found.map(({ type, file }) => (
          <li key={type}>
            <div className={classes.row}>
              <Text span fz="sm" fw={600}>
                {contractName(type)}
              </Text>
              <span>{replaces(contracts.find((contract) => contract.type === type))}</span>
            </div>
            <Text fz="xs" c="dimmed">
              {file.name}
            </Text>
            {errors[`contracts.${type}`] && (
              <Text fz="sm" c="var(--mantine-color-error)">
                {errors[`contracts.${type}`]}
              </Text>
            )}
          </li>
        ))}
        {leftOut.map(({ name, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
          <li key={index}>
            <div className={classes.row}>
              <Text span fz="sm">
                {name}
              </Text>
              <Text span fz="sm" c="dimmed">
                Skipped: {reason}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          {found.length === 0 ? "Close" : "Cancel"}
        </Button>
        {found.length > 0 && (
          <Button loading={send.isPending} onClick={take}>
            {isUnconfirmed ? "Import anyway" : `Import ${plural(found.length, "contract")}`}
          </Button>
        )}
      </Group>
    </Modal>
  );
}

const replaces = (contract: ContractSummary | undefined) =>
  !contract || contract.source === "template"
    ? "First version"
    : `Replaces version ${contract.version}`;
