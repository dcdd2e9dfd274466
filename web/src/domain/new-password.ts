const MIN_PASSWORD_LENGTH = 10;

/** The error of a new password; null if it is valid. */
export const validateNewPassword = (password: string): string | null =>
  password.length >= MIN_PASSWORD_LENGTH ? null : `Use at least ${MIN_PASSWORD_LENGTH} characters`;

export const NEW_PASSWORD_HINT = `At least ${MIN_PASSWORD_LENGTH} characters`;
