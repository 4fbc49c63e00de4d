// Writes CSV files for spreadsheets. The files begin with a byte order mark because spreadsheets would not recognize
// UTF-8 without it. They use the decimal separator and the list separator of the reader's country. Times are in a
// format that spreadsheets recognize.

import {timeOfSpreadsheet} from './words.js';

const decimal = new Intl.NumberFormat(navigator.language)
  .formatToParts(0.5)
  .find((part) => part.type === 'decimal').value;
// Countries with a decimal comma use semicolons in lists.
const [point, separator] = decimal === ',' ? [',', ';'] : ['.', ','];

// A text that a spreadsheet would read as a formula gets a leading apostrophe, even if it follows a character that may
// separate cells. lib/base/csv.h does the same.
const harmless = (text) =>
  text.replace(/^(?= *[\t\r\n])|(^|[;\t\r\n])(?= *[=+\-@＝＋－＠'])/g, (start) => start + "'");

function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value).replace('.', point);
  if (value instanceof Date) return timeOfSpreadsheet(value);
  const text = harmless(String(value));
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Writes numbers and Dates as such, and everything else as text.
export const csvRow = (values) => values.map(cell).join(separator) + '\r\n';

export const byteOrderMark = '\ufeff';
