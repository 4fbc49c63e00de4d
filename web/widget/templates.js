// The built-in templates that the script of all pages has, by slug, as in GET /templates. Their CSS has no scope yet.

import base from 'builtin/base.css';
import heart from 'builtin/heart.css';
import heartHtml from 'builtin/heart.html';
import stars from 'builtin/stars.css';
import starsHtml from 'builtin/stars.html';
import steps from 'builtin/steps.css';
import thumbs from 'builtin/thumbs.css';
import thumbsHtml from 'builtin/thumbs.html';

export const sheets = {base, steps};

export const builtins = {
  'simple/heart': {category: 'binary', html: heartHtml, css: base + heart},
  'simple/stars': {category: 'scale', html: starsHtml, css: base + steps + stars},
  'simple/thumbs': {category: 'bipolar', html: thumbsHtml, css: base + thumbs},
};
