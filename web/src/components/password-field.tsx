import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** Adds what the library's field lacks: the error state for screen readers, and a toggle that keyboards reach. */
export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ "aria-label": "Show password" }}
      aria-invalid={props.error ? true : undefined}
      {...props}
    />
  );
}
