'use strict';

// Shows the template that is chosen for each type of posts, and the fields that matter.
(({apiFetch}, {base, scales, selfServing}) => {
  // A group has the widget once for each name.
  const fill = (place, {html, css}, names) => {
    const style = document.createElement('style');
    style.textContent = css;
    const widgets = names.map((name) => {
      const widget = document.createElement('div');
      widget.innerHTML = html;
      widget.prepend(name, ' ');
      return widget;
    });
    place.replaceChildren(style, ...widgets);
  };

  const show = async (row) => {
    const field = (name) => row.querySelector(`[data-ratingd-field=${name}]`);
    const {value: where} = field('where');
    const group = field('group')?.value;
    // As clean_placement(): criteria have scales.
    const {value: chosen} = field('template');
    const ofGroup = {criteria: scales.includes(chosen) ? chosen : 'simple/stars', reactions: 'simple/heart'};
    const template = ofGroup[group] ?? chosen;
    const hasStars = scales.includes(template);
    // What else must be chosen for a field to matter. Search engines take stars alone.
    const matters = {
      template: group !== 'reactions',
      facets: group,
      weights: group === 'criteria',
      multiple: group === 'reactions',
      schema: hasStars,
    };
    for (const one of row.querySelectorAll('[data-ratingd-field]:not([data-ratingd-field=where])')) {
      one.closest('p').hidden = !where || !(matters[one.dataset.ratingdField] ?? true);
    }
    row.querySelector('.card').hidden = !where;
    const warning = row.querySelector('[data-ratingd-warning]');
    if (warning) warning.hidden = !where || !hasStars || !selfServing.includes(field('schema').value);
    if (!where) return;

    const place = row.querySelector('[data-ratingd-preview]');
    const names = (group && field('facets').value.match(/[^\s,]+/g)) || [''];
    const data = {template, size: field('size').value};
    const asked = (place.dataset.ratingdPreview = JSON.stringify([data, names]));
    // Something else may have been chosen meanwhile.
    const isWanted = () => place.dataset.ratingdPreview === asked;
    try {
      const answer = await apiFetch({url: base + '/preview', method: 'POST', data});
      if (isWanted()) fill(place, answer, names);
    } catch (error) {
      if (isWanted()) place.textContent = error.message;
    }
  };

  for (const row of document.querySelectorAll('[data-ratingd-type]')) {
    row.addEventListener('change', () => show(row));
    show(row);
  }
})(window.wp, window.ratingdPlacement);
