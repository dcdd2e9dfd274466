// What a field needs to be read out as the answer to its question.
export interface FieldNames {
  id: string;
  "aria-labelledby": string;
  "aria-describedby": string;
  "aria-required": boolean | undefined;
  "aria-invalid": boolean | undefined;
}

/** For the input itself; what the component library would write there is about its own labels. */
export const inputAttributes = (
  attributes: Omit<Partial<FieldNames>, "id"> & { "aria-label"?: string },
) => ({
  input: { ...attributes, dir: "auto" },
});
