// Writes CSV files for spreadsheets. The files begin with a byte order mark, because without it,
// spreadsheets do not recognize UTF-8. The files use the decimal separator and the list separator of the
// user's country. Times are in a format that spreadsheets recognize.

import {timeOfSpreadsheet} from './words.js';

const decimal = new Intl.NumberFormat(navigator.language)
  .formatToParts(0.5)
  .find((part) => part.type === 'decimal').value;
// In countries with a decimal comma, the list separator is a semicolon.
const [point, separator] = decimal === ',' ? [',', ';'] : ['.', ','];

// Like lib/base/csv.h, prevents CSV injection by adding an apostrophe before each part of the text that
// a spreadsheet would read as a formula.
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
