// "Stars" is the only built-in template in the script loaded on all pages. "builtins" maps slugs to
// templates with the same members as the templates in the response to GET /templates. The other built-in
// templates are in more-templates.js.

import base from 'builtin/base.css';
import starsHtml from 'builtin/stars.html';
import steps from 'builtin/steps.css';

export const sheets = {base, steps};

export const builtins = {
  'simple/stars': {category: 'scale', html: starsHtml, css: base + steps},
};
