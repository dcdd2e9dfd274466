import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../src/cli.js';
import { ShelfError, addBook, emptyShelf, findBook, lendBook, returnBook } from '../src/shelf.js';
import { fileStore } from '../src/store.js';

const DUNE = { title: 'Dune', author: 'Frank Herbert' };
const SAM = { to: 'Sam', since: '2026-03-01' };

/** A shelf in memory on which commands run, all on 1 March 2026. */
function desk() {
  let shelf = emptyShelf();
  const store = { load: () => shelf, save: (changed) => (shelf = changed) };
  return (...args) => {
    const lines = [];
    const print = (line) => lines.push(line);
    const code = run(args, { open: () => store, today: '2026-03-01', print });
    return { code, text: lines.join('\n') };
  };
}

test('a book is added, lent and returned', () => {
  const shelf = desk();
  assert.equal(shelf('list').text, 'The shelf is empty.');
  assert.equal(shelf('add', 'Dune', '--by', 'Frank Herbert').text, 'Dune is on the shelf.');
  assert.equal(shelf('lend', 'dune', '--to', 'Sam').text, 'Sam has Dune now.');
  assert.match(shelf('list').text, /^Dune by Frank Herbert, with Sam since 2026-03-01/);
  assert.equal(shelf('back', 'Dune').text, 'Welcome home, Dune.');
  assert.equal(shelf('list').text, 'Dune by Frank Herbert, at home');
});

test('--on replaces the current day', () => {
  const shelf = desk();
  shelf('add', 'Emma', '--by', 'Jane Austen');
  shelf('lend', 'Emma', '--to', 'Ada', '--on', '2026-02-14');
  assert.match(shelf('list').text, /since 2026-02-14/);
});

test('what is wrong is said in one line', () => {
  const shelf = desk();
  for (const [args, text] of [
    [['add', 'Dune'], 'This command needs --by AUTHOR.'],
    [['back', 'Dune'], 'There is no "Dune" on the shelf.'],
    [['list', '--on', '2026-02-30'], '"2026-02-30" is not a day such as 2026-05-04.'],
  ]) {
    assert.deepEqual(shelf(...args), { code: 1, text });
  }
});

test('the usage is printed without a command', () => {
  assert.match(desk()().text, /^usage: shelf COMMAND/);
  assert.equal(desk()('toString').code, 2);
});

test('a new book is at home', () => {
  assert.deepEqual(addBook(emptyShelf(), DUNE).books, [{ ...DUNE, loan: null }]);
});

test('titles are unique regardless of case', () => {
  const shelf = addBook(emptyShelf(), DUNE);
  assert.equal(findBook(shelf, 'dUNE').title, 'Dune');
  assert.throws(() => addBook(shelf, { ...DUNE, title: 'DUNE' }), ShelfError);
  assert.throws(() => findBook(shelf, 'Emma'), /no "Emma" on the shelf/);
});

test('a book is lent and returned', () => {
  const home = addBook(emptyShelf(), DUNE);
  const out = lendBook(home, 'dune', SAM);
  assert.deepEqual(findBook(out, 'Dune').loan, SAM);
  assert.deepEqual(returnBook(out, 'Dune'), home);
  assert.equal(findBook(home, 'Dune').loan, null, 'the old shelf stays as it was');
});

test('a book on loan cannot be lent, and a book at home cannot be returned', () => {
  const home = addBook(emptyShelf(), DUNE);
  const out = lendBook(home, 'Dune', SAM);
  assert.throws(() => lendBook(out, 'Dune', { to: 'Ada', since: '2026-03-02' }), /Sam has Dune/);
  assert.throws(() => returnBook(home, 'Dune'), /at home already/);
});

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
