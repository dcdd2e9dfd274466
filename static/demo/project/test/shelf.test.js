import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShelfError, addBook, emptyShelf, findBook, lendBook, returnBook } from '../src/shelf.js';

const DUNE = { title: 'Dune', author: 'Frank Herbert' };
const SAM = { to: 'Sam', since: '2026-03-01' };

test('a new book is at home', () => {
  assert.deepEqual(addBook(emptyShelf(), DUNE).books, [{ ...DUNE, loan: null }]);
});

test('a title is there once, however it is written', () => {
  const shelf = addBook(emptyShelf(), DUNE);
  assert.equal(findBook(shelf, 'dUNE').title, 'Dune');
  assert.throws(() => addBook(shelf, { ...DUNE, title: 'DUNE' }), ShelfError);
  assert.throws(() => findBook(shelf, 'Emma'), /no "Emma" on the shelf/);
});

test('a book goes out and comes home', () => {
  const home = addBook(emptyShelf(), DUNE);
  const out = lendBook(home, 'dune', SAM);
  assert.deepEqual(findBook(out, 'Dune').loan, SAM);
  assert.deepEqual(returnBook(out, 'Dune'), home);
  assert.equal(findBook(home, 'Dune').loan, null, 'the old shelf stays as it was');
});

test('nobody borrows a book that is out, or returns one that is not', () => {
  const home = addBook(emptyShelf(), DUNE);
  const out = lendBook(home, 'Dune', SAM);
  assert.throws(() => lendBook(out, 'Dune', { to: 'Ada', since: '2026-03-02' }), /Sam has Dune/);
  assert.throws(() => returnBook(home, 'Dune'), /at home already/);
});
