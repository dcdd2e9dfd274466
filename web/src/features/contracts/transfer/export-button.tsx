import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { notifyFailed } from "@/lib/notify";
import { saveFile } from "@/lib/save-file";
import { fetchArchive } from "../api";

interface ExportButtonProps {
  projectId: string;
  disabled: boolean;
}

/** Downloads all contracts as a zip file with a folder `contracts`. */
export function ExportButton({ projectId, disabled }: ExportButtonProps) {
  const archive = useMutation({
    mutationFn: () => fetchArchive(projectId),
    onSuccess: (blob) => saveFile(blob, "contracts.zip"),
    onError: (error) => notifyFailed("Could not download the contracts", error),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      disabled={disabled}
      loading={archive.isPending}
      title="A zip file with a folder “contracts” for your repository"
      onClick={() => archive.mutate()}
    >
      Download zip
    </Button>
  );
}
