// Attributes that connect a field with its question for screen readers.
export interface FieldAttributes {
  id: string;
  "aria-labelledby": string;
  "aria-describedby": string;
  "aria-required": boolean | undefined;
  "aria-invalid": boolean | undefined;
}

/** For the input; replaces the attributes of the component library, which refer to its own labels. */
export const inputAttributes = (
  attributes: Omit<Partial<FieldAttributes>, "id"> & { "aria-label"?: string },
) => ({
  input: { ...attributes, dir: "auto" },
});
