// Loads modules from separate files (later.js). Each file is loaded only once, from a URL that contains
// this script's version.

import * as page from './page.js';

// Resolves to views/transfer.js.
export async function loadTransfer() {
  const {search} = new URL(import.meta.url);
  const view = await import(new URL('ratingd-admin-transfer.js' + search, import.meta.url).href);
  view.use(page);
  return view;
}
