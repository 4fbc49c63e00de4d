// Builds the widget that is to replace an element with data-ratingd, from its template.

import {builtins} from './templates.js';
import {dataOf, page, trusted, warn} from './page.js';
import {ask} from './server.js';
import {word} from './words.js';

// By slug: {category, html, css}. Those of the site may be in the page already.
const known = {...builtins, ...window.ratingdTemplates};
const looks = {}; // by slug or category

const fetchLook = async (slug, category) => {
  const path = slug ? '/' + slug : '?category=' + category;
  // Pages hold what their authors wrote: no address may come of it but that of a template.
  if (/[^\w/?=-]/.test(path)) throw path;
  const {data} = await ask('templates' + path);
  return slug ? data : data.find((one) => one.default) || data[0];
};

const makeLook = async (slug, category) => {
  const look = known[slug] ? {slug, ...known[slug]} : await fetchLook(slug, category);
  const sheet = new CSSStyleSheet();
  // The built-in ones are not limited to their widgets yet. What stands within them weighs more than what themes say
  // of all buttons.
  const css = look.css.replace(/&(?=[^{},]* )/g, '&&&');
  sheet.replaceSync(css.replaceAll('&', `[data-template="${look.slug}"]`));
  page.adoptedStyleSheets.push(sheet);
  return look;
};

const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// Numbers come later, and what the widget is about is taken over from "place".
const render = (html, place) =>
  html
    .replace(/{{#COUNTS}}([^]*?){{\/COUNTS}}/g, dataOf(place).counts === 'false' ? '' : '$1')
    .replace(/{{(LABEL_)?(\w+)}}/g, (_, isLabel, name) =>
      isLabel ? escape(word(place, name > 0 ? 'step' : name.toLowerCase(), name)) : '',
    );

export const build = async (place) => {
  const {template, category} = dataOf(place);
  try {
    const look = await (looks[template || category] ??= makeLook(template, category));
    const holder = page.createElement('template');
    holder.innerHTML = trusted.createHTML(render(look.html, place));
    const widget = holder.content.firstElementChild;
    widget.classList.add(...place.classList);
    for (const {name, value} of place.attributes) {
      if (name !== 'class') widget.setAttribute(name, value);
    }
    const {dataset} = widget;
    delete dataset.ratingd;
    dataset.objectType ||= 'post';
    dataset.size ||= 'medium';
    dataset.colorScheme ||= 'auto';
    dataset.category = look.category;
    dataset.template = look.slug;
    return widget;
  } catch (error) {
    // The place stays empty; a later scan tries again.
    warn(error);
    delete looks[template || category];
  }
};
