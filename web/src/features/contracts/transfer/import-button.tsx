import { useState } from "react";
import { UploadButton } from "@/components/upload-button";
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
  const choose = async (chosen: File[]) => {
    try {
      setFiles(importFiles(await expandArchives(chosen)));
    } catch (error) {
      notifyFailed("Could not read the files", error);
    }
  };
  return (
    <>
      <UploadButton
        multiple
        accept=".zip,.md,.yaml,.yml,.json"
        label="Contract files"
        disabled={contracts.length === 0}
        onChoose={choose}
      >
        Import
      </UploadButton>
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
