// Defines the built-in "distribution" template, which is not part of the script loaded on all pages. The
// plugin adds this file to pages that use the template.

import base from 'builtin/base.css';
import distribution from 'builtin/distribution.css';
import html from 'builtin/distribution.html';
import steps from 'builtin/steps.css';

(window.ratingdTemplates ||= {})['simple/distribution'] = {category: 'scale', html, css: base + steps + distribution};
