// Files for spreadsheets: with a byte order mark, since without it they take UTF-8 for something else; with the decimal
// and the list separator of the reader's country; with times that they know as times.

import {timeOfSpreadsheet} from './words.js';

const decimal = new Intl.NumberFormat(navigator.language)
  .formatToParts(0.5)
  .find((part) => part.type === 'decimal').value;
// Where the decimal is a comma, lists have semicolons.
const [point, separator] = decimal === ',' ? [',', ';'] : ['.', ','];

// As lib/base/csv.h: what a spreadsheet would read as a formula begins with an apostrophe, also behind what may
// separate cells.
const harmless = (text) =>
  text.replace(/^(?= *[\t\r\n])|(^|[;\t\r\n])(?= *[=+\-@＝＋－＠'])/g, (start) => start + "'");

function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value).replace('.', point);
  if (value instanceof Date) return timeOfSpreadsheet(value);
  const text = harmless(String(value));
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Numbers and Dates are written as such, everything else as text.
export const csvRow = (values) => values.map(cell).join(separator) + '\r\n';

export const byteOrderMark = '\ufeff';
