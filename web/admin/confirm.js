// Opens a confirmation dialog before an action that cannot be undone, or before unsaved changes are lost.

import {h, newId} from './dom.js';
import {t} from './words.js';

// Resolves to true if the user confirms, and to false on "Cancel", the Escape key or a click outside the
// dialog.
//
// - "title" is the question.
// - "text" describes what will happen, with numbers. The text is a string, a node, or a list of strings and nodes.
// - "action" is the label of the confirm button.
// - "danger" is true if the action destroys data. If "danger" is true, the "Cancel" button is focused
//   initially.
// - "cancel" replaces the label "Cancel".
export function confirm({title, text, action, danger = false, cancel}) {
  return new Promise((resolve) => {
    const opener = document.activeElement;
    const titleId = newId();
    const textId = newId();
    const paragraphs = [text]
      .flat()
      .filter(Boolean)
      .map((part) => (part instanceof Node ? part : h('p', {}, part)));
    const close = (answer) => () => dialog.close(answer);
    const no = h('button', {type: 'button', class: 'button', onclick: close('')}, cancel || t('Cancel'));
    const yes = h(
      'button',
      {type: 'button', class: danger ? 'button rd-danger' : 'button button-primary', onclick: close('yes')},
      action,
    );
    const dialog = h(
      'dialog',
      {
        class: 'rd-confirm',
        role: 'alertdialog',
        'aria-labelledby': titleId,
        'aria-describedby': textId,
        onclick: (event) => event.target === dialog && dialog.close(''),
      },
      h(
        'div',
        {class: 'rd-confirm-body'},
        h('h2', {id: titleId}, title),
        h('div', {id: textId}, paragraphs),
        h('div', {class: 'rd-actions'}, no, yes),
      ),
    );
    // The Escape key also fires the "close" event, but leaves the dialog's return value empty.
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (opener?.isConnected) opener.focus();
      resolve(dialog.returnValue === 'yes');
    });
    (document.getElementById('ratingd-admin') || document.body).append(dialog);
    dialog.showModal();
    (danger ? no : yes).focus();
  });
}
