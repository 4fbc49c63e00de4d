// Only this built-in template is part of the script for all pages. The object maps the slug of the template to the same
// members as in GET /templates. The template's CSS has no scope yet. The other built-in templates are in
// more-templates.js.

import base from 'builtin/base.css';
import starsHtml from 'builtin/stars.html';
import steps from 'builtin/steps.css';

export const sheets = {base, steps};

export const builtins = {
  'simple/stars': {category: 'scale', html: starsHtml, css: base + steps},
};
