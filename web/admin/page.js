// Exports the functions used by modules that are loaded separately (later.js).

export {ApiError} from './api.js';
export {confirm} from './confirm.js';
export {field, notice, searchField, table} from './controls.js';
export {byteOrderMark, csvRow} from './csv.js';
export {append, h, replace} from './dom.js';
export {failure} from './failure.js';
export {figures, heldReasons, idColumns, nameOf, plainText, ratingColumns, reasonColumn, timeColumn} from './pieces.js';
export {typeSelect} from './type_select.js';
export {bytes, date, number, percent, said, setTimeZone, t, tn, today, typeName, typeOf} from './words.js';
