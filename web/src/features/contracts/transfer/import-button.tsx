import { Button, FileButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import type { ContractSummary } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { expandArchives } from "./expand-archives";
import { ImportDialog } from "./import-dialog";
import { type ImportFiles, importFiles } from "./import-files";

interface ImportButtonProps {
  projectId: string;
  contracts: ContractSummary[];
}

export function ImportButton({ projectId, contracts }: ImportButtonProps) {
  const [files, setFiles] = useState<ImportFiles | null>(null);
  // Reset, so that the same files can be selected again.
  const reset = useRef<() => void>(null);
  return (
    <>
      <FileButton
        multiple
        accept=".zip,.md,.yaml,.yml,.json"
        resetRef={reset}
        inputProps={{ "aria-label": "Contract files" }}
        onChange={async (chosen) => {
          reset.current?.();
          try {
            if (chosen.length > 0) setFiles(importFiles(await expandArchives(chosen)));
          } catch (error) {
            notifyFailed("Could not read the files", error);
          }
        }}
      >
        {(props) => (
          <Button
            {...props}
            variant="default"
            leftSection={<IconUpload size={16} aria-hidden />}
            disabled={contracts.length === 0}
          >
            Import
          </Button>
        )}
      </FileButton>
      {files && (
        <ImportDialog
          projectId={projectId}
          contracts={contracts}
          files={files}
          onClose={() => setFiles(null)}
        />
      )}
    </>
  );
}
