import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** The library's field says neither that it is wrong nor, to a keyboard, that it can be shown. */
export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ "aria-label": "Show what is typed" }}
      aria-invalid={props.error ? true : undefined}
      {...props}
    />
  );
}
