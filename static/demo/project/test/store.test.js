import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addBook, emptyShelf } from '../src/shelf.js';
import { fileStore } from '../src/store.js';

test('a saved shelf is loaded unchanged', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'books.json');

  assert.deepEqual(fileStore(path).load(), emptyShelf());
  const shelf = addBook(emptyShelf(), { title: 'Emma', author: 'Jane Austen' });
  fileStore(path).save(shelf);
  assert.deepEqual(fileStore(path).load(), shelf);
  assert.deepEqual(readdirSync(folder), ['books.json']);
});
