import { Button, type ButtonProps, FileButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";

interface UploadButtonProps extends Pick<ButtonProps, "size" | "disabled"> {
  accept: string;
  multiple?: boolean;
  /** Of the file input. */
  label: string;
  onChoose: (files: File[]) => unknown;
  children: ReactNode;
}

/** Calls `onChoose` with at least one file; the same files can be chosen again. */
export function UploadButton(props: UploadButtonProps) {
  const { accept, multiple = false, label, onChoose, children, ...button } = props;
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      multiple={multiple}
      accept={accept}
      resetRef={reset}
      inputProps={{ "aria-label": label }}
      onChange={(chosen) => {
        const files = [chosen ?? []].flat();
        reset.current?.();
        if (files.length > 0) onChoose(files);
      }}
    >
      {(opener) => (
        <Button
          {...opener}
          {...button}
          variant="default"
          leftSection={<IconUpload size={button.size === "xs" ? 14 : 16} aria-hidden />}
        >
          {children}
        </Button>
      )}
    </FileButton>
  );
}
