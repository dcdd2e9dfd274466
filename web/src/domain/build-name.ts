// The name of a build, as shown everywhere.

interface Named {
  number: number;
  title?: string | null;
}

/** Such as "#3 Due dates". */
export const buildName = ({ number, title }: Named) =>
  title ? `#${number} ${title}` : `#${number}`;

/** The name without its number. */
export const buildTitle = ({ title }: Pick<Named, "title">) => title || "Untitled build";
