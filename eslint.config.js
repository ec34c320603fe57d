import js from '@eslint/js'
import stylistic from '@stylistic/eslint-plugin'
import { defineConfig, globalIgnores } from 'eslint/config'
import jsdoc from 'eslint-plugin-jsdoc'
import tseslint from 'typescript-eslint'
import {
  boundaries,
  folderOrders,
  foreignExceptions,
  foreignNames,
  vendorNames,
  vendorNeutral,
} from './scripts/lint/boundaries.ts'
import modelport from './scripts/lint/plugin.mjs'

const src = 'packages/*/src/**/*.{ts,tsx}'
const everySrc = (...names) => names.map((name) => `packages/${name}/src/**/*.{ts,tsx}`)

const boundary = (row) => ({
  files: [`packages/${row.package}/src/**/${row.file ?? '*.{ts,tsx}'}`],
  rules: { 'modelport/import-boundary': ['error', row] },
})

/** The orders that hold in a package: of its folders, and of those inside one of them. */
const ordersWithin = (name) =>
  Object.entries(folderOrders)
    .filter(([place]) => place === name || place.startsWith(`${name}/`))
    .map(([place, rows]) => ({ within: place.slice(name.length + 1), rows }))

const banned = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'No default exports: a name is the same everywhere',
  },
  {
    selector: 'ExportAllDeclaration[exported=null]',
    message: 'No `export *`: index.ts is an explicit list; a group has a name, `export * as group`',
  },
  {
    selector: 'TSAsExpression > TSAsExpression.expression',
    message: 'No double assertion; narrow the value instead',
  },
]
const environment = [
  {
    selector: "MemberExpression[property.name='env'][object.name=/^(process|Deno|Bun)$/]",
    message: 'Only factory/src/base/env.ts reads the environment',
  },
  {
    selector: "MemberExpression[property.name='env'][object.property.name=/^(process|Deno|Bun)$/]",
    message: 'Only factory/src/base/env.ts reads the environment',
  },
  {
    selector: "VariableDeclarator[init.name='process'] Property[key.name='env']",
    message: 'Only factory/src/base/env.ts reads the environment',
  },
]
/** Comments that are not prose: directives of lint, and code of an `@example`. */
const directivesAndExamples = String.raw`lint-disable|\(\{|\[\{|\) // `
// Each saves a line and costs a second reading.
const squeezed = [
  {
    selector: 'SpreadElement > ObjectExpression, SpreadElement > ArrayExpression',
    message: 'Write the fields or items out, one a line, instead of spreading a literal',
  },
  {
    selector: 'JSXSpreadAttribute > ObjectExpression',
    message: 'Write the attributes out instead of spreading a literal',
  },
  {
    selector: 'VariableDeclarator[id.type="ArrayPattern"][init.type="ArrayExpression"]',
    message: 'Declare each constant by itself instead of two in a tuple',
  },
  {
    selector:
      'CallExpression > MemberExpression[property.name="split"]:matches([object.type="TemplateLiteral"][object.expressions.length=0], [object.type="Literal"])',
    message: 'Write a list of texts instead of splitting one',
  },
]
/** What it wraps is called by its wrapper; everything else goes through `executeBatch` or a run. */
const calledTool = {
  selector:
    'CallExpression[arguments.length=2] > MemberExpression.callee[property.type="Identifier"][property.name="execute"]',
  message:
    'Only tools/tool-run.ts of runtime calls a tool: use executeBatch, or infer with `calls`',
}
const reachedByGlobalThis = (names) => ({
  selector: `MemberExpression[object.name=/^(globalThis|window|self|global)$/][property.name=/^(${names.join('|')})$/]`,
  message: 'Reached through globalThis it is still the global; use what driver gives',
})
const global = (message) => (name) => ({ name, message })
const nodeGlobals = [
  'process',
  'Buffer',
  'global',
  '__dirname',
  '__filename',
  'require',
  'setImmediate',
  'NodeJS',
].map(global('Runs on every platform: no Node globals here'))
const wire = [
  'fetch',
  'AbortController',
  'TextDecoder',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
]
const clocks = ['setTimeout', 'setInterval', 'ReadableStream', 'TransformStream']
const wireGlobals = wire.map(
  global('A provider package opens no connection of its own; use what driver gives'),
)
const clockGlobals = clocks.map(
  global("A provider package holds no timer and no reader; they are driver's"),
)

export default defineConfig(
  globalIgnores([
    '**/dist/**',
    '**/coverage/**',
    '**/.turbo/**',
    '**/node_modules/**',
    '**/fixtures/**',
    '.cache/**',
    'bench/kill/peers/workflow/.*/**',
  ]),
  { plugins: { modelport, '@stylistic': stylistic, jsdoc } },
  {
    rules: {
      'modelport/file-name': 'error',
      'modelport/plain-wording': 'error',
      'modelport/test-title': 'error',
      // The formatter breaks code, and nothing else breaks comments.
      '@stylistic/max-len': [
        'error',
        { code: 10_000, comments: 100, ignoreUrls: true, ignorePattern: directivesAndExamples },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: {
        process: 'readonly',
        URL: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        performance: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts', '**/*.mts', '**/*.tsx'],
    // The rules of others are in .oxlintrc.json.
    extends: [tseslint.configs.base],
  },
  {
    files: [src],
    rules: {
      'max-lines': ['error', { max: 400, skipComments: true, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 80, skipComments: true, skipBlankLines: true }],
      'no-console': 'error',
      'modelport/no-import-cycle': 'error',
      'no-restricted-syntax': ['error', ...banned, ...squeezed, ...environment, calledTool],
      'no-restricted-globals': ['error', ...nodeGlobals],
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          require: { ClassDeclaration: true, FunctionDeclaration: true },
          contexts: [
            'TSInterfaceDeclaration',
            'TSTypeAliasDeclaration',
            'TSEnumDeclaration',
            'ExportNamedDeclaration > VariableDeclaration',
          ],
          checkConstructors: false,
        },
      ],
    },
  },
  // Markup is most of a component.
  {
    files: ['packages/*/src/**/*.tsx'],
    rules: {
      'max-lines-per-function': ['error', { max: 110, skipComments: true, skipBlankLines: true }],
    },
  },
  {
    files: everySrc('provider-*'),
    rules: {
      'no-restricted-globals': ['error', ...nodeGlobals, ...wireGlobals, ...clockGlobals],
      'no-restricted-syntax': [
        'error',
        ...banned,
        ...squeezed,
        ...environment,
        reachedByGlobalThis([...wire, ...clocks]),
        {
          selector: 'ForOfStatement[await=true]',
          message: 'A provider package holds no loop over the wire; driver reads it',
        },
      ],
    },
  },
  // These read what a server or an environment wrote.
  {
    files: everySrc('provider-*', 'chat-completions', 'driver', 'factory'),
    rules: { 'modelport/linear-pattern': 'error' },
  },
  // The mock plays a server: it may pace its own answers. A model in this process has no wire at
  // all.
  {
    files: everySrc('provider-mock', 'provider-llamacpp'),
    rules: {
      'no-restricted-globals': ['error', ...nodeGlobals, ...wireGlobals],
      'no-restricted-syntax': [
        'error',
        ...banned,
        ...squeezed,
        ...environment,
        reachedByGlobalThis(wire),
      ],
    },
  },
  // What shows a program in a studio is not part of the program: it alone reads `MODELPORT_STUDIO`.
  {
    files: [
      'packages/factory/src/base/env.ts',
      'packages/studio/src/attach/attach.ts',
      // A program that npx has to end.
      'packages/conformance/src/main.ts',
    ],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-syntax': ['error', ...banned, ...squeezed],
    },
  },
  {
    files: [
      ...everySrc('cli'),
      'packages/driver/src/transport/undici-*.ts',
      'packages/conformance/src/**/wire-server*.ts',
      'packages/conformance/src/main.ts',
    ],
    rules: { 'no-restricted-globals': 'off' },
  },
  // A run is put together in two files; every other takes the parts that it uses.
  {
    files: ['packages/runtime/src/loop/**/*.ts'],
    ignores: ['packages/runtime/src/loop/run/infer.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/run-state.js'],
              importNames: ['RunState'],
              message: "Take the parts of a run that are used: Uses<'models' | 'events'>",
            },
          ],
        },
      ],
    },
  },
  { files: everySrc('cli'), rules: { 'no-console': 'off' } },
  // The list of phrases is made of them.
  { files: ['scripts/lint/wording.ts'], rules: { 'modelport/plain-wording': 'off' } },
  ...boundaries.map(boundary),
  ...Object.keys(folderOrders)
    .filter((name) => !name.includes('/'))
    .map((name) => ({
      files: everySrc(name),
      rules: { 'modelport/folder-order': ['error', ordersWithin(name)] },
    })),
  {
    files: everySrc(...vendorNeutral),
    rules: { 'modelport/no-vendor-name': ['error', vendorNames] },
  },
  {
    files: [src],
    ignores: [...everySrc('compat'), ...foreignExceptions.map(({ where }) => where)],
    rules: { 'modelport/no-foreign-name': ['error', foreignNames] },
  },
  {
    files: ['packages/*/test/**', 'test/**', 'examples/**', 'scripts/**', '*.mjs', '*.js', '*.ts'],
    rules: { 'max-lines': ['error', { max: 800, skipComments: true, skipBlankLines: true }] },
  },
  {
    files: ['scripts/**', 'examples/**', 'bench/**', 'test/**'],
    rules: { 'no-restricted-syntax': ['error', ...squeezed] },
  },
  {
    files: ['packages/*/test/**', 'test/**', 'examples/*/test/**'],
    ignores: ['test/support/fast-check.ts'],
    rules: {
      'modelport/no-time-assertion': 'error',
      'no-restricted-imports': [
        'error',
        {
          name: 'fast-check',
          message:
            'Import fc from test/support/fast-check.ts: one seed for all, or a run cannot be repeated',
        },
      ],
    },
  },
  {
    files: ['packages/durable/test/histories/audit.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['*'],
              message: 'The auditor imports nothing: what it knows of the product it would believe',
            },
          ],
        },
      ],
    },
  },
)
