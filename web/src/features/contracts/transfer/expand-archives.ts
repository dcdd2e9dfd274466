// Replaces zip files, such as an export, by the files in them.
import { type UnzipFileInfo, unzip } from "fflate";

/** Larger files are no contracts. */
const MAX_FILE_BYTES = 1_000_000;

/** Rejects if a zip file is damaged. */
export async function expandArchives(files: File[]): Promise<File[]> {
  const expanded = files.map(async (file) => (isArchive(file) ? await filesIn(file) : [file]));
  return (await Promise.all(expanded)).flat();
}

const isArchive = ({ name }: File) => name.toLowerCase().endsWith(".zip");

async function filesIn(archive: File): Promise<File[]> {
  const bytes = new Uint8Array(await archive.arrayBuffer());
  const filter = ({ name, originalSize }: UnzipFileInfo) =>
    !name.endsWith("/") && originalSize <= MAX_FILE_BYTES;
  return new Promise((resolve, reject) =>
    unzip(bytes, { filter }, (error, found) => {
      if (error) return reject(new Error(`${archive.name} is not a readable zip file.`));
      const file = ([path, content]: [string, Uint8Array]) =>
        new File([content as BlobPart], path.slice(path.lastIndexOf("/") + 1));
      resolve(Object.entries(found).map(file));
    }),
  );
}
