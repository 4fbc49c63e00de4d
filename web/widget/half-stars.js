// Defines the built-in "half-stars" template, which is not part of the script loaded on all pages. The
// plugin adds this file to pages that use the template.

import base from 'builtin/base.css';
import halfStars from 'builtin/half-stars.css';
import html from 'builtin/half-stars.html';
import steps from 'builtin/steps.css';

(window.ratingdTemplates ||= {})['simple/half-stars'] = {category: 'scale', html, css: base + steps + halfStars};
