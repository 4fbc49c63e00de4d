// Loads the modules that have their own file (later.js), once. The file has the same version as this file.

import * as page from './page.js';

// Resolves to views/transfer.js.
export async function loadTransfer() {
  const {search} = new URL(import.meta.url);
  const view = await import(new URL('ratingd-admin-transfer.js' + search, import.meta.url).href);
  view.use(page);
  return view;
}
