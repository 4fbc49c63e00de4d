// Provides functions from the main script to modules that are loaded on demand. Before using these
// functions, a module must call use(page), where "page" contains the exports of page.js.

export let ApiError, confirm, field, notice, searchField, table, byteOrderMark, csvRow;
export let append, h, replace, failure, typeSelect;
export let figures, heldReasons, idColumns, nameOf, plainText, ratingColumns, reasonColumn, timeColumn;
export let bytes, date, number, percent, said, setTimeZone, t, tn, today, typeName, typeOf;

export function use(page) {
  ({ApiError, confirm, field, notice, searchField, table, byteOrderMark, csvRow} = page);
  ({append, h, replace, failure, typeSelect} = page);
  ({figures, heldReasons, idColumns, nameOf, plainText, ratingColumns, reasonColumn, timeColumn} = page);
  ({bytes, date, number, percent, said, setTimeZone, t, tn, today, typeName, typeOf} = page);
}
