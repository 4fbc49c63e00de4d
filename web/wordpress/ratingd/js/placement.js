'use strict';

// Shows the chosen template for each post type, and hides fields that have no effect.
(({scales, selfServing, standard, words}) => {
  const stars = document.getElementById('ratingd-stars');
  const fill = (place, {html, css}, group, names) => {
    const style = document.createElement('style');
    style.textContent = css;
    const widget = document.createElement('div');
    widget.innerHTML = window.ratingdSample(group, names, html, words);
    place.replaceChildren(style, widget);
  };

  const show = async (row) => {
    const field = (name) => row.querySelector(`[data-ratingd-field=${name}]`);
    const {value: where} = field('where');
    const group = field('group')?.value;
    // For criteria, replace a template that does not show a scale, as clean_placement() does.
    const chosen = field('template').value || standard;
    const ofGroup = {criteria: scales.includes(chosen) ? chosen : 'simple/stars', reactions: 'simple/heart'};
    const template = ofGroup[group] ?? chosen;
    const hasStars = scales.includes(template);
    // Defines when each field has an effect. For example, the field "Content type for search engines" has an effect
    // only if the template shows stars.
    const matters = {
      template: group !== 'reactions',
      criteria: group === 'criteria',
      reactions: group === 'reactions',
      multiple: group === 'reactions',
      schema: hasStars,
    };
    for (const one of row.querySelectorAll('[data-ratingd-field]:not([data-ratingd-field=where])')) {
      (one.closest('p') ?? one).hidden = !where || !(matters[one.dataset.ratingdField] ?? true);
    }
    row.querySelector('.card').hidden = !where;
    const warning = row.querySelector('[data-ratingd-warning]');
    if (warning) warning.hidden = !where || !hasStars || !selfServing.includes(field('schema').value);
    if (!where) return;

    const place = row.querySelector('[data-ratingd-preview]');
    const boxes = group ? [...field(group).querySelectorAll('input:checked')] : [];
    const names = boxes.map(({dataset}) => ({label: dataset.ratingdLabel, icon: dataset.ratingdIcon}));
    const data = {template, size: field('size').value};
    const asked = (place.dataset.ratingdPreview = JSON.stringify([data, group, names, stars.value]));
    // Ignore the response if the user has since chosen another template.
    const isWanted = () => place.dataset.ratingdPreview === asked;
    try {
      const answer = await window.ratingdPreview(data, stars.value);
      if (isWanted()) fill(place, answer, group, names);
    } catch (error) {
      if (isWanted()) place.textContent = error.message;
    }
  };

  // A click on a picture selects its template in the list below. All rows of the form share the
  // pictures.
  const pictures = {};
  const pictureOf = (template) =>
    (pictures[template + stars.value] ??= window.ratingdPreview(
      {template, size: 'small', show_counts: false},
      stars.value,
    ));
  const showPictures = (row) => {
    const select = row.querySelector('[data-ratingd-field=template]');
    const group = row.querySelector('[data-ratingd-field=group]');
    const place = row.querySelector('[data-ratingd-pictures]');
    place.hidden = select.closest('p').hidden;
    if (place.hidden) return;
    const isOffered = ({value}) => value && (group?.value !== 'criteria' || scales.includes(value));
    const buttons = [...select.options].filter(isOffered).map((option) => {
      const picture = document.createElement('span');
      const button = Object.assign(document.createElement('button'), {type: 'button', className: 'ratingd-picture'});
      const name = Object.assign(document.createElement('span'), {textContent: option.text});
      button.setAttribute('aria-pressed', String(option.value === select.value));
      picture.inert = true;
      picture.setAttribute('aria-hidden', 'true');
      button.append(picture, name);
      button.addEventListener('click', () => {
        select.value = option.value;
        select.dispatchEvent(new CustomEvent('change', {bubbles: true}));
        place.querySelector('[aria-pressed=true]')?.focus();
      });
      pictureOf(option.value).then((answer) => fill(picture, answer, '', []), () => {});
      return button;
    });
    place.replaceChildren(...buttons);
  };

  for (const row of document.querySelectorAll('[data-ratingd-type]')) {
    const update = () => {
      show(row);
      showPictures(row);
    };
    row.addEventListener('change', update);
    stars.addEventListener('change', update);
    update();
  }
})(window.ratingdPlacement);
