// Writes CSV files for spreadsheets. The files begin with a byte order mark, because spreadsheets do not recognize
// UTF-8 without a mark. The files use the decimal separator and the list separator of the user's country. Times are in
// a format that spreadsheets recognize.

import {timeOfSpreadsheet} from './words.js';

const decimal = new Intl.NumberFormat(navigator.language)
  .formatToParts(0.5)
  .find((part) => part.type === 'decimal').value;
// In countries with a decimal comma, the list separator is a semicolon.
const [point, separator] = decimal === ',' ? [',', ';'] : ['.', ','];

// Adds an apostrophe before each part of the text that a spreadsheet would read as a formula, at the start of the text
// or after a character that may separate cells. lib/base/csv.h adds the same apostrophes.
const harmless = (text) =>
  text.replace(/^(?= *[\t\r\n])|(^|[;\t\r\n])(?= *[=+\-@＝＋－＠'])/g, (start) => start + "'");

function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value).replace('.', point);
  if (value instanceof Date) return timeOfSpreadsheet(value);
  const text = harmless(String(value));
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Writes numbers as numbers, Dates as times, and all other values as text.
export const csvRow = (values) => values.map(cell).join(separator) + '\r\n';

export const byteOrderMark = '\ufeff';
