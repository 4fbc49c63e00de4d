// Builds a select element for content types.

import {h, replace} from './dom.js';
import {typeNames} from './words.js';

// Requests the content types that have ratings, and stores the result until the page is closed.
const ratedTypes = ({api, memory}) =>
  (memory.types ||= api
    .get('/analytics/stats', {period: 'all', _fields: 'data.rated_objects'})
    .then(({data}) => Object.keys(data.rated_objects.by_type))
    .catch(() => {
      delete memory.types;
      return []; // use only WordPress's types
    }));

// Returns a <select> element with the existing content types. "optionsOf" converts the result of
// typeNames() to an object that maps the value of each option to its text. The content type "chosen" is
// always one of the options.
export function typeSelect(context, optionsOf, {chosen = '', ...attributes}) {
  const control = h('select', attributes);
  const draw = (value, types) => {
    const options = optionsOf(typeNames([...types, ...(chosen ? [chosen] : [])]));
    replace(
      control,
      Object.entries(options).map(([name, text]) => h('option', {value: name}, text)),
    );
    control.value = value;
  };
  draw(chosen, []);
  ratedTypes(context).then((types) => draw(control.value, types));
  return control;
}
