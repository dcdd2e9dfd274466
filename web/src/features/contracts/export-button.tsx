import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { notifyFailed } from "@/lib/notify";
import { saveFile } from "@/lib/save-file";
import { fetchArchive } from "./api";

interface ExportButtonProps {
  projectId: string;
  disabled: boolean;
}

/** All written contracts as one archive with a folder `contracts`, to be unpacked beside the code. */
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
      title="A zip archive with a folder “contracts”, to be unpacked beside the code"
      onClick={() => archive.mutate()}
    >
      Download for a repository
    </Button>
  );
}
