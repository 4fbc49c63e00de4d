// Shows a row of stars for each criterion, and the overall average. An example with two criteria: <ratingd-criteria
// object-id="123" facets="taste,service" weights="2,1">. The script sends the visitor's choices as one vote, with the
// weighted mean of the choices as the object's rating.

import css from 'builtin/criteria.css';
import {Group} from './group.js';

class Criteria extends Group {
  #chosen; // unsent values, by facet; null withdraws the rating
  #overall;
  save;

  constructor(element, tools) {
    super(element, tools, css);
    tools.words.unsaved = 'Not saved yet';
    element.addEventListener('ratingd:updated', ({target, detail: {facets, value}}) => {
      this.#mark(target); // New numbers do not discard unsent choices.
      // A cached page may contain criteria that the site has removed. A response contains numbers only for criteria
      // that still exist. Hide the rows of removed criteria instead of deleting the rows, because the order of the
      // weights corresponds to the order of the rows.
      const names = this.list('facets');
      if (value >= 0 || !names.some((name) => facets?.[name])) return; // skip the response to a vote, and other names
      names.forEach((name, i) => (element.firstChild.children[i].style = facets[name] ? '' : 'display:none'));
    });
    // If the visitor leaves the page with unsent choices, the browser asks for confirmation.
    addEventListener('beforeunload', (event) => {
      if (!this.save.disabled && element.isConnected) event.preventDefault();
    });
  }

  parts() {
    const {create, dataOf, vote} = this.tools;
    const row = (label, widget) => {
      const one = create('div');
      one.append(this.span('', label), widget);
      return one;
    };
    const rows = this.list('facets').map((name) => {
      const label = this.label(name);
      const template = this.element.getAttribute('template') || 'simple/stars';
      const data = {ratingd: '', template, counts: false, schema: '', labelRating: label, labelRemove: '×'};
      return row(label, this.widget(data, name)); // a placeholder, which the script replaces with a widget
    });
    this.#chosen = {};
    this.save = this.button({textContent: this.label('save')});
    this.save.onclick = (event) => {
      event.preventDefault();
      const mean = this.#mean();
      vote(this.#overall, mean >= 0 ? mean : null);
    };
    this.#overall = this.widget({category: 'scale', template: 'criteria'});
    this.#overall.append(this.span('ratingd-number', '', {stat: 'average', scale: 5}));
    if (dataOf(this.#overall).counts !== 'false') {
      const total = this.span('ratingd-total');
      total.append(this.span('', '', {stat: 'total'}), ' ', this.span('', '', {stat: 'votes'}));
      this.#overall.append(total);
    }
    this.#overall.append(this.save, this.span(''));
    this.#setSaved(true);
    return [...rows, row(this.label('overall'), this.#overall)];
  }

  #setSaved(isSaved) {
    this.save.disabled = isSaved;
    this.save.nextSibling.textContent = isSaved ? '' : this.label('unsaved');
  }

  // Stores the value of a criterion until all criteria are sent together. Returns false if the widget is not a
  // criterion.
  choose(widget, value) {
    if (widget === this.#overall) return false;
    this.#chosen = {...this.#chosen, [this.facetOf(widget)]: value && +value};
    this.#mark(widget);
    this.#setSaved(false);
    return true;
  }

  #mark(widget) {
    const {dataOf, showControls, showOwn} = this.tools;
    const value = this.#chosen[this.facetOf(widget)];
    if (value === undefined || widget === this.#overall) return;
    dataOf(widget).userRating = value ?? '';
    dataOf(widget).pending = '';
    showOwn(widget, value);
    showControls(widget, value, null);
  }

  // Returns the weighted mean of the voter's ratings, or NaN if there are no ratings.
  #mean() {
    const {all, dataOf} = this.tools;
    const weights = this.list('weights');
    let sum = 0;
    let weight = 0;
    all(this.element, '.ratingd:not([data-template=criteria])').forEach((widget, i) => {
      const {userRating} = dataOf(widget);
      const one = +(userRating && (weights[i] > 0 ? weights[i] : 1)); // 0 if there is no rating
      sum += userRating * one;
      weight += one;
    });
    return sum / weight;
  }

  // Sends all choices in one vote. If the visitor has removed all ratings, withdraws the ratings of the
  // criteria, and then the rating of the object. Sends nothing and returns false if the widget belongs
  // to a single criterion.
  send(widget) {
    return widget === this.#overall && this.#send();
  }

  async #send() {
    const {post, round, withdraw} = this.tools;
    const about = this.voteOf(this.#overall);
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
    // If the visitor has made other choices during the request, keep them for the next vote.
    if (facets === this.#chosen) {
      this.#chosen = {};
      this.#setSaved(true);
      delete this.#overall.vote; // drop the vote from a second click on Save
    }
    return answer;
  }
}

export const create = (element, tools) => new Criteria(element, tools);
