// The shelf: every function takes a shelf and returns a new one.

/** An error that the user can correct, such as an unknown title. */
export class ShelfError extends Error {}

export const emptyShelf = () => ({ books: [] });

/** The book with this title, regardless of case. */
export function findBook(shelf, title) {
  const book = shelf.books.find((book) => sameTitle(book.title, title));
  if (!book) throw new ShelfError(`There is no "${title}" on the shelf.`);
  return book;
}

export function addBook(shelf, { title, author }) {
  if (shelf.books.some((book) => sameTitle(book.title, title))) {
    throw new ShelfError(`"${title}" is on the shelf already.`);
  }
  return { ...shelf, books: [...shelf.books, { title, author, loan: null }] };
}

/** Lends a book to a friend. `since` is the first day of the loan, such as "2026-05-04". */
export function lendBook(shelf, title, { to, since }) {
  const book = findBook(shelf, title);
  if (book.loan) throw new ShelfError(`${book.loan.to} has ${book.title} already.`);
  return withBook(shelf, { ...book, loan: { to, since } });
}

export function returnBook(shelf, title) {
  const book = findBook(shelf, title);
  if (!book.loan) throw new ShelfError(`${book.title} is at home already.`);
  return withBook(shelf, { ...book, loan: null });
}

function withBook(shelf, changed) {
  const books = shelf.books.map((book) => (book.title === changed.title ? changed : book));
  return { ...shelf, books };
}

function sameTitle(one, other) {
  return one.toLowerCase() === other.toLowerCase();
}
