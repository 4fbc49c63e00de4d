// The built-in template that is in the script for all pages, by slug, with the members of GET /templates. Its CSS has
// no scope yet. The other templates are in more-templates.js.

import base from 'builtin/base.css';
import starsHtml from 'builtin/stars.html';
import steps from 'builtin/steps.css';

export const sheets = {base, steps};

export const builtins = {
  'simple/stars': {category: 'scale', html: starsHtml, css: base + steps},
};
