// Gives a module that is loaded later access to the words and dialogs of the page. The exports are available after
// use(page), where "page" is the exports of page.js.

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
