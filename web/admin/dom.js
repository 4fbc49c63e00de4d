// Builds elements. Children that are not DOM nodes become text nodes. No function in this file parses
// HTML, so a title from the CMS cannot become markup, and the page also works with a content security
// policy that requires Trusted Types.

const svgNamespace = 'http://www.w3.org/2000/svg';
// Set these attributes as DOM properties, because the HTML attributes define only the initial state.
const properties = new Set(['value', 'checked', 'selected', 'indeterminate', 'disabled', 'hidden', 'open']);

// Links from the CMS are untrusted input, so only URLs that match this pattern are allowed.
const isSafe = (address) => /^(https?:|#|\/|\?|blob:|\.)/i.test(address);

function set(element, name, value) {
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (name === 'style') for (const key in value) element.style.setProperty(key, value[key]);
  else if (properties.has(name)) element[name] = value;
  else if (value === null || value === undefined || value === false) return;
  else if (name !== 'href' || isSafe(String(value))) element.setAttribute(name, value === true ? '' : value);
}

// Children may be nested lists. Children that are null, undefined, true or false are ignored.
export function append(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && typeof child !== 'boolean') element.append(child);
  }
  return element;
}

export function replace(element, ...children) {
  element.textContent = '';
  return append(element, ...children);
}

// Sets "value" last, because a <select> element must have its options first.
function build(element, attributes, children) {
  append(element, ...children);
  for (const name in attributes) if (name !== 'value') set(element, name, attributes[name]);
  if (attributes && attributes.value !== undefined) {
    if ('value' in element) set(element, 'value', attributes.value);
    else element.setAttribute('value', attributes.value);
  }
  return element;
}

// Example: h('button', {class: 'button', onclick: save, disabled: true}, 'Save'). "style" is an object that maps CSS
// properties to values.
export const h = (name, attributes, ...children) => build(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) =>
  build(document.createElementNS(svgNamespace, name), attributes, children);

let lastId = 0;
export const newId = () => `rd-${++lastId}`;
