// Defines the base class of criteria and reactions. Each criterion or reaction is a facet of the object,
// and has its own widget. If a page contains criteria or reactions, ratingd-widget.js loads
// ratingd-criteria.js or ratingd-reactions.js. The "tools" parameter contains functions from
// ratingd-widget.js.

import css from 'builtin/group.css';

let hasSheet;

export class Group {
  #from; // the HTML from which the widgets were built

  constructor(element, tools, sheet) {
    Object.assign(this, {element, tools});
    const ours = ':is([data-template=reaction],[data-template=criteria])';
    if (!hasSheet) tools.addSheet((tools.sheets.base + css + sheet).replaceAll('&', ours));
    hasSheet = true;
    new MutationObserver(() => this.update()).observe(element, {attributes: true});
  }

  async update() {
    // Rebuild the widgets only if their own attributes change, because rebuilding discards unsent
    // choices.
    const {element, tools} = this;
    if (this.#from !== (this.#from = this.widget().outerHTML)) {
      const group = tools.create('div', {className: element.localName, role: 'group', ariaLabel: this.label('rating')});
      group.append(...this.parts());
      element.replaceChildren(group);
    }
    const [failure] = await window.ratingd.scan(element);
    // A cached page may contain only names that the site has since removed, which the service rejects.
    if (failure?.params) element.replaceChildren();
  }

  list(name) {
    return this.element.getAttribute(name)?.toLowerCase().match(/[^\s,]+/g) || [];
  }

  // A site may define labels for its facets. The default label of "service_quality" is "Service quality".
  label(name) {
    const {element, tools} = this;
    const text = name.replace(/[_-]+/g, ' ');
    return element.getAttribute('label-' + name) || tools.word(element, name) || text[0].toUpperCase() + text.slice(1);
  }

  // Returns a widget for a facet of the object, or for the object itself if "facet" is missing.
  widget(data, facet) {
    const {create, dataOf, options, typeOf} = this.tools;
    const widget = create('div', {className: 'ratingd', role: 'group', ariaLabel: this.label(facet || 'overall')});
    for (const {name, value} of this.element.attributes) {
      if (options.test(name)) widget.setAttribute('data-' + name, value);
    }
    const whole = typeOf(widget);
    const objectType = facet ? whole + ':' + facet : whole;
    Object.assign(dataOf(widget), {facets: this.list('facets'), userRating: '', ...data, whole, objectType});
    return widget;
  }

  button(properties) {
    return this.tools.create('button', {type: 'button', className: 'ratingd-choice', ...properties});
  }

  span(className, textContent, data) {
    const element = this.tools.create('span', {className, textContent});
    Object.assign(this.tools.dataOf(element), data);
    return element;
  }

  facetOf(widget) {
    return this.tools.typeOf(widget).replace(/.*:/, '');
  }

  // Returns the members of a vote that identify the object. Ids are strings, so that long ids keep all digits.
  voteOf(widget) {
    const {category, objectId, whole} = this.tools.dataOf(widget);
    return {object_id: objectId, object_type: whole, category};
  }
}
