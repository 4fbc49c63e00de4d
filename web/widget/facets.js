// <ratingd-criteria object-id="123" facets="taste,service" weights="2,1">: a row of stars for each criterion, and the
// overall average. What is chosen is sent as one vote, with the voter's weighted mean as the rating of the object.
// <ratingd-reactions object-id="123" facets="love,funny" icon-love="❤️">: a button for each reaction, with its count.
//
// Each criterion and each reaction is a widget of its own, for a facet of the object. Only ratingd-facets.js has this:
// other scripts are built without what they do not call, so nothing here runs when the module is loaded.

import base from 'builtin/base.css';
import css from 'builtin/facets.css';
import {options} from './element.js';
import {addSheet, all, create, dataOf, round, typeOf} from './page.js';
import {ask} from './server.js';
import {showAll, showControls, showOwn} from './show.js';
import {vote} from './vote.js';
import {word, words} from './words.js';

const further = {
  overall: 'Overall',
  save: 'Save',
};

const facetOf = (widget) => typeOf(widget).replace(/.*:/, '');
const wholeOf = (widget) => dataOf(widget).whole;

// What a vote is on. Ids keep all their digits as texts.
const voteOf = (widget) => {
  const {category, objectId} = dataOf(widget);
  return {object_id: objectId, object_type: wholeOf(widget), category};
};
const post = (fields) => ask('rate', {method: 'POST', body: JSON.stringify(fields)});
const withdraw = (fields) => ask('rate?' + new URLSearchParams(fields), {method: 'DELETE'});

export const defineFacets = () => {
  const span = (className, textContent, data) => {
    const element = create('span', {className, textContent});
    Object.assign(dataOf(element), data);
    return element;
  };
  const button = (properties) => create('button', {type: 'button', className: 'ratingd-choice', ...properties});
  const number = (data) => span('ratingd-number', '', data);

  class Group extends HTMLElement {
    #from; // what the widgets were built from

    constructor() {
      super();
      new MutationObserver(() => this.#update()).observe(this, {attributes: true});
    }

    connectedCallback() {
      this.#update();
    }

    #update() {
      // Other attributes, such as classes of a theme, do not take away what is chosen.
      if (this.#from !== (this.#from = this.widget().outerHTML)) {
        const group = create('div', {className: this.localName, role: 'group', ariaLabel: this.label('rating')});
        group.append(...this.parts());
        this.replaceChildren(group);
      }
      window.ratingd.scan(this);
    }

    list(name) {
      return this.getAttribute(name)?.toLowerCase().match(/[^\s,]+/g) || [];
    }

    // A site may have words for its facets.
    label(name) {
      return this.getAttribute('label-' + name) || word(this, name) || name[0].toUpperCase() + name.slice(1);
    }

    // A widget for a facet of the object, or for the object itself.
    widget(data, facet) {
      const widget = create('div', {className: 'ratingd', role: 'group', ariaLabel: this.label(facet || 'overall')});
      for (const {name, value} of this.attributes) {
        if (options.test(name)) widget.setAttribute('data-' + name, value);
      }
      const whole = typeOf(widget);
      const objectType = facet ? whole + ':' + facet : whole;
      Object.assign(dataOf(widget), {facets: this.list('facets'), userRating: '', ...data, whole, objectType});
      return widget;
    }
  }

  class Criteria extends Group {
    #chosen; // values that are not sent yet, by facet; null: the rating is taken back
    #overall;
    #save;

    constructor() {
      super();
      // New numbers do not take away what is chosen.
      this.addEventListener('ratingd:updated', ({target}) => this.#mark(target));
    }

    parts() {
      const row = (label, widget) => {
        const element = create('div');
        element.append(span('', label), widget);
        return element;
      };
      const rows = this.list('facets').map((name) => {
        const label = this.label(name);
        // The widget is built in its place.
        const template = this.getAttribute('template') || 'simple/stars';
        const place = this.widget({ratingd: '', template, counts: false, labelRating: label}, name);
        delete dataOf(place).schema;
        return row(label, place);
      });
      this.#chosen = {};
      this.#save = button({textContent: this.label('save'), disabled: true});
      this.#save.onclick = () => vote(this.#overall, this.#mean() >= 0 || null);
      this.#overall = this.widget({category: 'scale', template: 'criteria'});
      this.#overall.append(number({stat: 'average', scale: 5}));
      if (dataOf(this.#overall).counts !== 'false') {
        this.#overall.append(number({stat: 'total'}), span('', '', {stat: 'votes'}));
      }
      this.#overall.append(this.#save);
      return [...rows, row(this.label('overall'), this.#overall)];
    }

    choose(widget, value) {
      this.#chosen = {...this.#chosen, [facetOf(widget)]: value && +value};
      this.#mark(widget);
      this.#save.disabled = false;
    }

    #mark(widget) {
      const value = this.#chosen[facetOf(widget)];
      if (value === undefined || widget === this.#overall) return;
      dataOf(widget).userRating = value ?? '';
      showOwn(widget, value);
      showControls(widget, value, null);
    }

    // The voter's weighted mean; NaN without ratings.
    #mean() {
      const weights = this.list('weights');
      let sum = 0;
      let weight = 0;
      all(this, '[data-user-rating]:not([data-template=criteria])').forEach((widget, i) => {
        const {userRating} = dataOf(widget);
        if (!userRating) return;
        const one = weights[i] > 0 ? +weights[i] : 1;
        sum += userRating * one;
        weight += one;
      });
      return sum / weight;
    }

    // All that is chosen in one vote. Without any rating, that of the object is taken back, too, after the others:
    // these may be gone already.
    async send() {
      const about = voteOf(this.#overall);
      const facets = this.#chosen;
      const mean = this.#mean();
      if (!(mean >= 0)) {
        await withdraw({...about, facets: Object.keys(facets)}).catch((error) => {
          if (error.status !== 404) throw error;
        });
      }
      const answer = await (mean >= 0
        ? post({...about, scale: 1, value: round(1000 * mean) / 1000, facets})
        : withdraw(about));
      // What was chosen meanwhile is sent with the next vote.
      if (facets === this.#chosen) {
        this.#chosen = {};
        this.#save.disabled = true;
        delete this.#overall.next; // a second click on Save
      }
      return answer;
    }
  }

  class Reactions extends Group {
    parts() {
      return this.list('facets').map((name) => {
        const widget = this.widget({category: 'binary', template: 'reaction'}, name);
        const label = this.label(name);
        const icon = this.getAttribute('icon-' + name);
        const choice = button({title: label});
        dataOf(choice).value = 1;
        if (icon) choice.append(create('span', {textContent: icon, ariaHidden: true}));
        choice.append(span(icon ? 'ratingd-hidden' : '', label));
        if (dataOf(widget).counts !== 'false') choice.append(number({count: 'positive'}));
        widget.append(choice);
        return widget;
      });
    }

    // The reaction, instead of others of the voter.
    async send(widget) {
      const facets = {};
      for (const name of this.list('facets')) facets[name] = null;
      facets[facetOf(widget)] = 1;
      const answer = await post({...voteOf(widget), facets});
      showAll(wholeOf(widget) + ' ' + dataOf(widget).objectId, answer);
      return answer.facets[facetOf(widget)];
    }
  }

  Object.assign(words, further);
  addSheet((base + css).replaceAll('&', ':is([data-template=reaction],[data-template=criteria])'));
  customElements.define('ratingd-criteria', Criteria);
  customElements.define('ratingd-reactions', Reactions);
};

const isCriterion = (widget) => dataOf(widget).template !== 'criteria';

// Whether the value is that of a criterion: it is kept until it is sent with others.
export const choose = (widget, value) => {
  const group = isCriterion(widget) && widget.closest('ratingd-criteria');
  if (group) group.choose(widget, value);
  return group;
};

// The answer to a vote on several facets at once; nothing if the vote is not one.
export const sendFacets = (widget, value) => {
  if (!isCriterion(widget)) return widget.closest('ratingd-criteria').send();
  return value && widget.closest('ratingd-reactions:not([multiple])')?.send(widget);
};

// Shows the facets in the answer about an object.
export const showFacets = (key, {facets}, sent) => {
  for (const name in facets) showAll(key.replace(' ', `:${name} `), facets[name], sent);
};

// What widgets are asked for together: all of one type, or all with the same facets.
export const queryOf = (widget) => {
  const {facets} = dataOf(widget);
  return facets ? wholeOf(widget) + ' ' + facets : typeOf(widget);
};

// At most 100 objects and facets are read at once.
export const mostOf = (query) => 100 / query.split(/[ ,]/).length;
export const fieldsOf = (query, ids) => {
  const [type, facets] = query.split(' ');
  return {object_type: type, object_ids: ids, ...(facets && {facets})};
};
