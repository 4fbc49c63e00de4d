// Of the page, for a module with a file of its own, which is loaded when it is needed: its words and dialogs are the
// page's. They are there after use(page), with the exports of page.js.

export let ApiError, confirm, field, notice, searchField, table, byteOrderMark, csvRow;
export let append, h, replace, failure, typeSelect;
export let figures, heldReasons, idColumns, nameOf, plainText, ratingColumns, reasonColumn, timeColumn;
export let bytes, date, number, percent, said, setTimeZone, t, tn, typeName, typeOf;

export function use(page) {
  ({ApiError, confirm, field, notice, searchField, table, byteOrderMark, csvRow} = page);
  ({append, h, replace, failure, typeSelect} = page);
  ({figures, heldReasons, idColumns, nameOf, plainText, ratingColumns, reasonColumn, timeColumn} = page);
  ({bytes, date, number, percent, said, setTimeZone, t, tn, typeName, typeOf} = page);
}
