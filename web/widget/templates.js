// The built-in templates, by slug, as in GET /templates. Their CSS has no scope yet. Not the large one, "distribution".

import base from 'builtin/base.css';
import dots from 'builtin/dots.css';
import dotsHtml from 'builtin/dots.html';
import heart from 'builtin/heart.css';
import heartHtml from 'builtin/heart.html';
import likeDislike from 'builtin/like-dislike.css';
import likeDislikeHtml from 'builtin/like-dislike.html';
import slider from 'builtin/slider.css';
import sliderHtml from 'builtin/slider.html';
import stars from 'builtin/stars.css';
import starsHtml from 'builtin/stars.html';
import steps from 'builtin/steps.css';
import thumbs from 'builtin/thumbs.css';
import thumbsHtml from 'builtin/thumbs.html';

const template = (category, html, ...css) => ({category, html, css: base + css.join('')});

export const builtins = {
  'simple/dots': template('scale', dotsHtml, steps, dots),
  'simple/heart': template('binary', heartHtml, heart),
  'simple/like-dislike': template('bipolar', likeDislikeHtml, likeDislike),
  'simple/slider': template('scale', sliderHtml, slider),
  'simple/stars': template('scale', starsHtml, steps, stars),
  'simple/thumbs': template('bipolar', thumbsHtml, thumbs),
};
