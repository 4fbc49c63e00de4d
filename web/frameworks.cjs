'use strict';

// Writes next.html, react.html or vue.html. The page contains an example from docs/examples, rendered to
// HTML as on a server. In the browser, the script builds the widget before the framework hydrates the
// page. Because the Next.js package is too large (340 MB), next.html imitates Next.js: React renders and
// hydrates the complete document, including the script.
//
//   node frameworks.cjs OUT_DIR API OBJECT_ID NAME

const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const {compileScript, parse} = require('@vue/compiler-sfc');

const [out, api, id, name] = process.argv.slice(2);
const examples = path.join(__dirname, '../docs/examples');

// Bundles "source" with the packages in web/. Returns the path of the bundle.
function bundle(target, source, options) {
  const entry = path.join(out, `${target}.source.jsx`);
  const file = path.join(out, `${target}.js`);
  fs.writeFileSync(entry, source);
  const env = {...process.env, NODE_PATH: path.join(__dirname, 'node_modules')};
  const usual = ['--bundle', '--jsx=automatic', '--define:process.env.NODE_ENV="development"', '--log-level=error'];
  execFileSync('esbuild', [entry, `--outfile=${file}`, ...usual, ...options], {env});
  return file;
}
const onServer = (target, source) => require(bundle(target, source, ['--platform=node', '--format=cjs']));
const inBrowser = (target, source) => bundle(target, source, ['--define:__VUE_OPTIONS_API__=true',
  '--define:__VUE_PROD_DEVTOOLS__=false', '--define:__VUE_PROD_HYDRATION_MISMATCH_DETAILS__=false']);

// Compiles the Vue example in the same way as Vite's Vue plugin, with the option for custom elements.
function compileVue(ssr) {
  const compilerOptions = {isCustomElement: (tag) => tag === 'ratingd-rating'};
  const source = fs.readFileSync(path.join(examples, 'rating.vue'), 'utf8');
  const {descriptor} = parse(source, {templateParseOptions: compilerOptions});
  const {content} = compileScript(descriptor, {
    id: 'rating', inlineTemplate: true, templateOptions: {ssr, ssrCssVars: [], compilerOptions},
  });
  const file = path.join(out, `rating-${ssr ? 'server' : 'browser'}.ts`);
  fs.writeFileSync(file, content);
  return JSON.stringify(file);
}

// "errors" contains the errors that the framework reports.
function write(framework, html, script) {
  fs.writeFileSync(path.join(out, `${framework}.html`), `<!DOCTYPE html><html lang="en"><title>${framework}</title><body>
<div id="root">${html}</div>
<script src="${api}/ratingd-widget.js"></script>
<script>
  window.errors = [];
  window.serverElement = document.querySelector('ratingd-rating');
</script>
<script src="${path.basename(script)}"></script>`);
}

function makeReact() {
  const example = JSON.stringify(path.join(examples, 'rating.tsx'));
  const element = `import {Rating} from ${example}; const tree = <Rating product={${id}} />;`;
  const {html} = onServer('react-server', `import {renderToString} from 'react-dom/server'; ${element}
    export const html = renderToString(tree);`);
  write('react', html, inBrowser('react-browser', `import {hydrateRoot} from 'react-dom/client'; ${element}
    window.hydrate = () => hydrateRoot(document.querySelector('#root'), tree,
      {onRecoverableError: (error) => window.errors.push(error.message)});`));
}

function makeNext() {
  const note = 'window.errors = []; window.serverElement = document.querySelector("ratingd-rating");';
  const document = `import {Rating} from ${JSON.stringify(path.join(examples, 'rating.tsx'))};
    const tree = <html lang="en">
      <head><title>next</title><script async src="${api}/ratingd-widget.js" /></head>
      <body>
        <Rating product={${id}} />
        <script dangerouslySetInnerHTML={{__html: ${JSON.stringify(note)}}} />
        <script src="next-browser.js" />
      </body>
    </html>;`;
  const {html} = onServer('next-server', `import {renderToString} from 'react-dom/server'; ${document}
    export const html = renderToString(tree);`);
  fs.writeFileSync(path.join(out, 'next.html'), `<!DOCTYPE html>${html}`);
  inBrowser('next-browser', `import {hydrateRoot} from 'react-dom/client'; ${document}
    window.hydrate = () => hydrateRoot(window.document, tree,
      {onRecoverableError: (error) => window.errors.push(error.message)});`);
}

async function makeVue() {
  const app = (ssr) => `import {createSSRApp} from 'vue'; import Rating from ${compileVue(ssr)};
    const app = createSSRApp(Rating, {product: ${id}});`;
  const {html} = onServer('vue-server', `import {renderToString} from 'vue/server-renderer'; ${app(true)}
    export const html = renderToString(app);`);
  write('vue', await html, inBrowser('vue-browser', `${app(false)}
    console.error = console.warn = (...words) => window.errors.push(words.join(' '));
    window.hydrate = () => app.mount('#root');`));
}

({next: makeNext, react: makeReact, vue: makeVue})[name]();
