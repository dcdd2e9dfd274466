// Keeps a shelf in a JSON file.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { emptyShelf } from './shelf.js';

/** A store in one file. A missing file is an empty shelf. */
export function fileStore(path) {
  return {
    load() {
      try {
        return JSON.parse(readFileSync(path, 'utf8'));
      } catch (error) {
        if (error.code === 'ENOENT') return emptyShelf();
        throw error;
      }
    },
    save(shelf) {
      // Writes a new file and renames it, so that a crash leaves either the old or the new shelf.
      writeFileSync(`${path}.new`, `${JSON.stringify(shelf, null, 2)}\n`);
      renameSync(`${path}.new`, path);
    },
  };
}
