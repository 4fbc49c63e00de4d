// Builds a widget from its template. The widget replaces a placeholder element that has the data-ratingd
// attribute.

import {addSheet, create, dataOf, further, given, trusted, warn} from './page.js';
import {ask} from './server.js';
import {builtins, sheets} from './templates.js';
import {format, word} from './words.js';

const cache = {}; // requested templates by slug or category

const fetchTemplate = async (slug, category) =>
  (await further('more-templates')).fetchTemplate({ask, sheets}, slug, category);

const loadTemplate = async (slug, category) => {
  // A template is an object of the form {category, html, css}. The page may already contain the site's
  // own templates.
  const known = given('ratingdTemplates')[slug] || builtins[slug];
  const template = {slug, ...(known || (await fetchTemplate(slug, category)))};
  const scope = `[data-template="${template.slug}"]`;
  let {css} = template;
  // The CSS of built-in templates contains "&" as a placeholder for the selector of the template.
  if (!css.includes(scope)) css = css.replaceAll('&', scope);
  // Increase the specificity of the widget's rules, so that they override a theme's rules for all buttons.
  addSheet(css.replace(/\[data-template=[^\]]*\](?=[^{},]* [^{])/g, '$&$&$&$&'));
  return template;
};

const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// Inserts words into the HTML of a template. The numbers are inserted later.
const render = (html, place) =>
  html
    .replace(/{{#COUNTS}}([^]*?){{\/COUNTS}}/g, dataOf(place).counts === 'false' ? '' : '$1')
    .replace(/{{(LABEL_)?(\w+)}}/g, (_, isLabel, name) => {
      const step = +name.replace('_', '.'); // 3_5 is three and a half
      return isLabel ? escape(word(place, step ? 'step' : name.toLowerCase(), format(step))) : '';
    });

export const build = async (place) => {
  const {template, category} = dataOf(place);
  try {
    const found = await (cache[template || category] ??= loadTemplate(template, category));
    const holder = create('template');
    holder.innerHTML = trusted().createHTML(render(found.html, place));
    const widget = holder.content.firstElementChild;
    widget.classList.add(...place.classList);
    for (const {name, value} of place.attributes) {
      if (name !== 'class') widget.setAttribute(name, value);
    }
    const dataset = dataOf(widget);
    delete dataset.ratingd;
    dataset.objectType ||= 'post';
    dataset.size ||= 'medium';
    dataset.colorScheme ||= 'auto';
    dataset.category = found.category;
    dataset.template = found.slug;
    return widget;
  } catch (error) {
    // If the template cannot be loaded, the placeholder stays empty, and a later scan tries again.
    warn(error);
    delete cache[template || category];
  }
};
