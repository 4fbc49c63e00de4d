// Shows a button with a count for each reaction in an element such as <ratingd-reactions object-id="123"
// facets="love,funny" icon-love="❤️">.

import css from 'builtin/reactions.css';
import {Group} from './group.js';

class Reactions extends Group {
  constructor(element, tools) {
    super(element, tools, css);
    // Hide the count if it is zero, because a row of zeros would look as if nobody cared.
    element.addEventListener('ratingd:updated', ({target, detail}) => {
      const number = target.querySelector('[data-count]');
      if (number) number.hidden = !detail.stats.binary.positive;
      target.isKnown = true;
      // A response to a read contains the numbers of all reactions. A response to a vote may contain only one reaction.
      if (detail.value === undefined) setTimeout(() => this.#hideRemoved());
    });
  }

  // A cached page may contain reactions that the site has since removed. Responses contain no numbers
  // for removed reactions. Hide removed reactions, and move them to the front, because the last reaction
  // shows the hint for all reactions and must be visible.
  #hideRemoved() {
    for (const widget of [...this.element.firstChild.children]) {
      const isRemoved = !widget.isKnown && !widget.matches(':active,[aria-busy=true]');
      widget.style.display = isRemoved ? 'none' : '';
      if (isRemoved) widget.parentNode.prepend(widget);
    }
  }

  parts() {
    const {create, dataOf} = this.tools;
    return this.list('facets').map((name) => {
      const widget = this.widget({category: 'binary', template: 'reaction'}, name);
      const label = this.label(name);
      const icon = this.element.getAttribute('icon-' + name);
      const choice = this.button({title: label, ariaPressed: false});
      dataOf(choice).value = 1;
      if (icon) choice.append(create('span', {textContent: icon, ariaHidden: true}));
      choice.append(this.span(icon ? 'ratingd-hidden' : '', label));
      if (dataOf(widget).counts !== 'false') choice.append(this.span('ratingd-number', '', {count: 'positive'}));
      widget.append(choice);
      return widget;
    });
  }

  // Sends a vote that replaces the voter's other reactions. Sends nothing and returns a falsy value if
  // the voter may have several reactions, or if the reaction is being withdrawn.
  send(widget, value) {
    const multiple = this.element.getAttribute('multiple') ?? 'false'; // Some frameworks write a false attribute.
    return value && multiple === 'false' && this.#replace(widget);
  }

  async #replace(widget) {
    const {dataOf, post, showAll} = this.tools;
    const facets = {};
    for (const name of this.list('facets')) facets[name] = null;
    facets[this.facetOf(widget)] = 1;
    const answer = await post({...this.voteOf(widget), facets});
    showAll(dataOf(widget).whole + ' ' + dataOf(widget).objectId, answer);
    return answer.facets[this.facetOf(widget)];
  }
}

export const create = (element, tools) => new Reactions(element, tools);
