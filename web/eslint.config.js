'use strict';

const js = require('@eslint/js');

const browser = ['window', 'document', 'Document', 'fetch', 'URL', 'URLSearchParams', 'CustomEvent', 'CSSStyleSheet',
  'Intl', 'console', 'crypto',
  'setTimeout', 'clearTimeout', 'getComputedStyle', 'addEventListener', 'innerWidth'];
const node = ['process', 'require', 'module', '__dirname', 'setTimeout', 'window', 'document', 'wp',
  'URL', 'fetch', 'getComputedStyle', 'PerformanceObserver'];

const globals = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

const rules = {
  'eqeqeq': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'no-shadow': 'error',
  'no-empty': 'error',
  'max-len': ['error', {code: 105}],
};

module.exports = [
  js.configs.recommended,
  {
    files: ['wordpress/ratingd/js/*.js'],
    languageOptions: {ecmaVersion: 2022, sourceType: 'script', globals: globals([...browser, 'DOMParser'])},
    rules: {...rules, 'max-len': ['error', {code: 120}]},
  },
  {
    files: ['admin/**/*.js', 'widget/*.js'],
    languageOptions: {
      ecmaVersion: 2022, sourceType: 'module',
      globals: globals([...browser, 'AbortController', 'Blob', 'DOMException', 'FormData', 'IntersectionObserver', 'Node',
        'ResizeObserver', 'TextDecoderStream', 'XMLHttpRequest', 'CSS', 'history', 'localStorage', 'location',
        'navigator', 'setInterval', 'clearInterval', 'BroadcastChannel', 'HTMLElement', 'MutationObserver',
        'customElements', 'atob', 'performance']),
    },
    rules: {...rules, 'max-len': ['error', {code: 120, ignorePattern: "\\bt\\('[^']+'\\)"}]},
  },
  {
    files: ['eslint.config.js', '*.cjs'],
    languageOptions: {ecmaVersion: 2022, sourceType: 'commonjs', globals: globals(node)},
    rules: {...rules, 'max-len': ['error', {code: 140}]},
  },
  {
    files: ['*.mjs', 'npm/*.mjs'],
    languageOptions: {
      ecmaVersion: 2022, sourceType: 'module',
      globals: globals([...node, 'AbortSignal', 'Buffer', 'Response', 'TextDecoder', 'TextEncoder', 'URLSearchParams', 'console']),
    },
    rules: {...rules, 'max-len': ['error', {code: 140}]},
  },
];
