// Errors of the server, shown at the fields of a form.
import { ApiError } from "./api-error";

interface FormWithErrors {
  setErrors: (errors: Record<string, string>) => void;
}

export const showFieldErrors = (form: FormWithErrors) => (error: unknown) => {
  if (error instanceof ApiError) form.setErrors(error.fields);
};
