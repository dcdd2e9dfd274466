import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShelfError, addBook, emptyShelf, findBook, lendBook, returnBook } from '../src/shelf.js';

const DUNE = { title: 'Dune', author: 'Frank Herbert' };
const SAM = { to: 'Sam', since: '2026-03-01' };

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
