// Builds a list with a checkbox for each row, and the actions for the selected rows.

import {h} from './dom.js';
import {number, t} from './words.js';

// Returns an array of elements. The argument has these members:
// - "selected" is a Set of ids that remain selected when the list is drawn again.
// - "idOf(row)" returns the id of a row, and "label(row)" returns the label of the row's checkbox.
// - "actions" is [{key, danger, text(n), act(ids)}], where n is a formatted number or empty.
// - "list(column)" returns the table of rows with the given column of checkboxes.
// - "more" contains additional elements that are shown next to the actions.
export function selectable({rows, selected, idOf, label, actions, list, more}) {
  const known = rows.map(idOf);
  for (const id of selected) if (!known.includes(id)) selected.delete(id);
  const choose = (id, isChosen) => (isChosen ? selected.add(id) : selected.delete(id));
  const all = h('input', {
    type: 'checkbox',
    'data-focus': 'all',
    onchange: () => {
      for (const id of known) choose(id, all.checked);
      for (const box of table.querySelectorAll('[data-id]')) box.checked = all.checked;
      draw();
    },
  });
  const box = (row) =>
    h('input', {
      type: 'checkbox',
      'data-id': idOf(row),
      'data-focus': `box-${idOf(row)}`,
      'aria-label': label(row),
      checked: selected.has(idOf(row)),
      onchange: (event) => {
        choose(idOf(row), event.target.checked);
        draw();
      },
    });
  const buttons = actions.map(({key, danger, act}) =>
    h('button', {
      type: 'button',
      class: danger ? 'button rd-danger' : 'button',
      'data-focus': `${key}-selected`,
      onclick: () => selected.size > 0 && act([...selected]),
    }),
  );
  function draw() {
    const n = selected.size;
    all.checked = n > 0 && n === known.length;
    all.indeterminate = n > 0 && n < known.length;
    buttons.forEach((button, index) => {
      button.textContent = actions[index].text(n > 0 && {n: number(n)});
      button.setAttribute('aria-disabled', n === 0);
    });
  }
  const table = list({title: t('Select'), kind: 'box', cell: box});
  draw();
  return [
    h('div', {class: 'rd-filters'}, h('label', {class: 'rd-pick'}, all, t('Select all on this page')), buttons, more),
    table,
  ];
}
