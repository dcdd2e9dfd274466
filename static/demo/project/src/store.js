// Keeps a shelf in a JSON file.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { emptyShelf } from './shelf.js';

/** A store on one file. A file that is not there yet is an empty shelf. */
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
      // A whole new file, then one rename: a crash leaves the old shelf or the new one.
      writeFileSync(`${path}.new`, `${JSON.stringify(shelf, null, 2)}\n`);
      renameSync(`${path}.new`, path);
    },
  };
}
