// The repository's own lint rules. Each exists because a rule nobody checks is not kept.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { findOverlap } from './linear-pattern.mjs'
import { findInComment, findPhrases, titleProblem } from './wording.ts'

const BUILTIN =
  /^(?:node:|bun:|(?:assert|buffer|child_process|crypto|dns|events|fs|http|http2|https|net|os|path|process|stream|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(?:\/|$))/

const matches = (pattern, specifier) =>
  pattern.endsWith('*')
    ? specifier.startsWith(pattern.slice(0, -1))
    : specifier === pattern || specifier.startsWith(`${pattern}/`)

const srcFolder = (filename) => {
  const parts = filename.split(sep)
  const at = parts.lastIndexOf('src')
  return parts.slice(0, at + 1).join(sep)
}

/**
 * Static, type, re-export, dynamic and `import("x")` type imports, and `require`: every way to
 * reach another module.
 */
const importBoundary = {
  meta: {
    type: 'problem',
    docs: { description: 'A package imports only what the table of boundaries gives it' },
    schema: [{ type: 'object' }],
    messages: {
      forbidden: '{{name}} may not import "{{specifier}}"; it may import: {{allowed}}',
      outside:
        '"{{specifier}}" leaves the package by a relative path; import the package by its name',
      computed: 'import() of a computed specifier hides what is imported; write the name',
    },
  },
  create(context) {
    const row = context.options[0]
    const src = srcFolder(context.filename)
    const allowed = [...row.imports, ...(row.builtins ? ['node:*'] : [])]

    const check = (node, dynamic) => {
      const specifier = node?.value
      if (typeof specifier !== 'string') {
        if (node && !row.computed) context.report({ node, messageId: 'computed' })
        return
      }
      if (specifier.startsWith('.')) {
        const target = resolve(dirname(context.filename), specifier)
        if (!target.startsWith(src + sep))
          context.report({ node, messageId: 'outside', data: { specifier } })
        return
      }
      if (BUILTIN.test(specifier) && !row.imports.includes(specifier)) {
        if (row.builtins && specifier.startsWith('node:')) return
      } else if (row.imports.some((pattern) => matches(pattern, specifier))) return
      if (dynamic && row.dynamicImports?.some((pattern) => matches(pattern, specifier))) return
      const data = {
        name: row.file ?? row.package,
        specifier,
        allowed: allowed.join(', ') || 'nothing',
      }
      context.report({ node, messageId: 'forbidden', data })
    }

    return {
      ImportDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => node.source && check(node.source),
      ImportExpression: (node) => check(node.source, true),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
      TSExternalModuleReference: (node) => check(node.expression),
      'CallExpression[callee.name="require"]': (node) => check(node.arguments[0]),
      'CallExpression[callee.property.name="getBuiltinModule"]': (node) =>
        row.builtins || check(node.arguments[0]),
    }
  },
}

const fileName = {
  meta: {
    type: 'suggestion',
    docs: { description: 'A file is kebab-case and named after its one concept' },
    schema: [],
    messages: {
      kebab: 'File names are kebab-case: {{name}}',
      vague: '"{{name}}" names no concept; name the file after what it holds',
    },
  },
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename)
      if (
        !/^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|test-d|config|base|d))*\.[cm]?[jt]sx?$/.test(
          name,
        )
      )
        context.report({ node, messageId: 'kebab', data: { name } })
      if (/^(?:utils?|helpers?|common|misc)\./.test(name))
        context.report({ node, messageId: 'vague', data: { name } })
    },
  }),
}

/** Finds a name in any case; one in capitals as it is written, at the start of a word. */
const toPattern = (name) =>
  name === name.toUpperCase()
    ? new RegExp(`\\b${name}`, 'g')
    : new RegExp(name.replaceAll('.', String.raw`\.`), 'gi')

/** Refuses the names that are given to the rule, anywhere in a file. */
const noName = (description, kind) => ({
  meta: {
    type: 'problem',
    docs: { description },
    schema: [{ type: 'array' }],
    messages: { named: `This package knows no ${kind}, but says "{{name}}"` },
  },
  create: (context) => ({
    Program() {
      const { sourceCode } = context
      for (const name of context.options[0]) {
        for (const { index } of sourceCode.text.matchAll(toPattern(name))) {
          const loc = {
            start: sourceCode.getLocFromIndex(index),
            end: sourceCode.getLocFromIndex(index + name.length),
          }
          context.report({ loc, messageId: 'named', data: { name } })
        }
      }
    },
  }),
})

const noVendorName = noName(
  'No vendor is named outside its provider package, the preset table and the factory table',
  'vendor',
)
const noForeignName = noName('Other systems are named in compat', 'other system')

/** What a machine answers differently each time: its clock, and the memory of a process. */
const MEASURE =
  /^(?:globalThis\.)?(?:performance\.now|Date\.now|process\.(?:hrtime(?:\.bigint)?|memoryUsage(?:\.rss)?|cpuUsage))$/

const noTimeAssertion = {
  meta: {
    type: 'problem',
    docs: { description: 'A test expects nothing of the time or the memory that something took' },
    schema: [],
    messages: {
      measured:
        'The machine, its load and its system decide this number. Count the work, take an input that is hopeless if it grows by the square, or use expect.poll',
    },
  },
  create(context) {
    const { sourceCode } = context
    const variableOf = (node) => {
      for (let scope = sourceCode.getScope(node); scope; scope = scope.upper)
        if (scope.set.has(node.name)) return scope.set.get(node.name)
      return undefined
    }
    /** The functions and values that a name may stand for. */
    const valuesOf = (node) => {
      const variable = variableOf(node)
      const written = variable?.references.flatMap(({ writeExpr }) => writeExpr ?? []) ?? []
      return [
        ...written,
        ...(variable?.defs.flatMap(({ type, node: defined }) =>
          type === 'FunctionName' ? [defined] : [],
        ) ?? []),
      ]
    }
    const returned = (node, found = []) => {
      if (node.type === 'ReturnStatement' && node.argument) found.push(node.argument)
      for (const key of sourceCode.visitorKeys[node.type] ?? []) {
        for (const child of [node[key]].flat())
          if (child && !/Function/.test(child.type)) returned(child, found)
      }
      return found
    }
    const isMeasured = (node, seen = new Set()) => {
      if (!node || seen.has(node)) return false
      seen.add(node)
      const any = (...nodes) => nodes.some((one) => isMeasured(one, seen))
      switch (node.type) {
        case 'CallExpression':
          return (
            MEASURE.test(sourceCode.getText(node.callee)) ||
            (node.callee.type === 'MemberExpression'
              ? any(
                  node.callee.object,
                  ...node.arguments.filter(() => node.callee.object.name === 'Math'),
                )
              : any(node.callee))
          )
        case 'NewExpression':
          return node.callee.name === 'Date' && node.arguments.length === 0
        case 'ArrowFunctionExpression':
        case 'FunctionExpression':
        case 'FunctionDeclaration':
          return node.body.type === 'BlockStatement' ? any(...returned(node.body)) : any(node.body)
        case 'Identifier':
          return any(...valuesOf(node))
        case 'BinaryExpression':
        case 'LogicalExpression':
          return any(node.left, node.right)
        case 'ConditionalExpression':
          return any(node.consequent, node.alternate)
        case 'ArrayExpression':
          return any(...node.elements)
        case 'MemberExpression':
          return any(node.object)
        case 'AwaitExpression':
        case 'UnaryExpression':
        case 'SpreadElement':
          return any(node.argument)
        case 'TSAsExpression':
        case 'TSNonNullExpression':
          return any(node.expression)
        default:
          return false
      }
    }
    return {
      'CallExpression[callee.name="expect"]': (node) =>
        isMeasured(node.arguments[0]) && context.report({ node, messageId: 'measured' }),
    }
  },
}

const plainWording = {
  meta: {
    type: 'suggestion',
    docs: { description: 'Comments and strings are plain English (scripts/lint/wording.ts)' },
    schema: [],
    messages: { phrase: '"{{phrase}}" makes a reader stop: {{advice}}' },
  },
  create(context) {
    const { sourceCode } = context
    const check = (text, offset, find = findPhrases) => {
      for (const { index, phrase, advice } of find(text)) {
        const loc = {
          start: sourceCode.getLocFromIndex(offset + index),
          end: sourceCode.getLocFromIndex(offset + index + phrase.length),
        }
        context.report({ loc, messageId: 'phrase', data: { phrase, advice } })
      }
    }
    return {
      Program() {
        for (const comment of sourceCode.getAllComments())
          check(comment.value, comment.range[0] + 2, findInComment)
      },
      Literal: (node) => typeof node.value === 'string' && check(node.raw, node.range[0]),
      TemplateElement: (node) => check(node.value.raw, node.range[0] + 1),
    }
  },
}

const testTitle = {
  meta: {
    type: 'suggestion',
    docs: { description: 'The title of a test can be read in a report' },
    schema: [],
    messages: { fragment: 'The title "{{title}}" is a fragment: {{advice}}' },
  },
  create: (context) => ({
    CallExpression(node) {
      const [argument] = node.arguments
      const title = argument?.type === 'Literal' ? argument.value : argument?.quasis?.[0]?.value.raw
      if (
        typeof title !== 'string' ||
        !/^(?:test|it)\b/.test(context.sourceCode.getText(node.callee))
      )
        return
      const advice = titleProblem(title)
      if (advice) context.report({ node: argument, messageId: 'fragment', data: { title, advice } })
    },
  }),
}

/**
 * The files that a file imports inside its package, `import type` included, from their text: no
 * type information is needed.
 */
const importsOf = new Map()
function localImports(file) {
  if (importsOf.has(file)) return importsOf.get(file)
  const found = []
  importsOf.set(file, found)
  if (existsSync(file)) {
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'/g))
      found.push(resolve(dirname(file), specifier.replace(/\.js$/, '.ts')))
  }
  return found
}

const noImportCycle = {
  meta: {
    type: 'problem',
    docs: { description: 'Files of a package import each other in one direction, types included' },
    schema: [],
    messages: { cycle: 'This import makes a cycle: {{path}}' },
  },
  create(context) {
    const home = context.filename
    const pathBack = (from) => {
      const came = new Map([[from, undefined]])
      for (const file of came.keys()) {
        if (file === home) {
          const path = []
          for (let at = file; at; at = came.get(at)) path.unshift(basename(at))
          return path
        }
        for (const next of localImports(file)) if (!came.has(next)) came.set(next, file)
      }
      return undefined
    }
    const check = (node) => {
      if (!node.source?.value.startsWith?.('.')) return
      const path = pathBack(resolve(dirname(home), node.source.value.replace(/\.js$/, '.ts')))
      if (path)
        context.report({
          node,
          messageId: 'cycle',
          data: { path: [basename(home), ...path].join(' → ') },
        })
    }
    return { ImportDeclaration: check, ExportNamedDeclaration: check }
  },
}

const folderOrder = {
  meta: {
    type: 'problem',
    docs: {
      description: 'Folders of a package import each other in one direction, types included',
    },
    schema: [{ type: 'array' }],
    messages: {
      unlisted:
        'The folder "{{folder}}" has no place in the order of folders; give it one in scripts/lint/boundaries.ts',
      upwards: '"{{folder}}" may not import from "{{target}}"; it may import from: {{allowed}}',
      root: '"{{folder}}" may not import "{{target}}", which stands above all folders',
    },
  },
  create(context) {
    const src = srcFolder(context.filename)
    const handlers = context.options[0].flatMap(({ within, rows }) =>
      orderOf(context, join(src, within), rows),
    )
    const check = (node) => {
      const specifier = node?.value
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return
      const file = resolve(dirname(context.filename), specifier)
      for (const handler of handlers) handler.imported(node, file)
    }
    return {
      Program: (node) => {
        for (const handler of handlers) handler.file(node)
      },
      ImportDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
    }
  },
}

/** The checks of one order, for a file that is in one of its folders; else none. */
function orderOf(context, home, rows) {
  const isOutside = (file) => relative(home, file).startsWith('..')
  const folderOf = (file) => {
    const parts = relative(home, file).split(sep)
    return parts.length > 1 ? parts[0] : undefined
  }
  const folder = isOutside(context.filename) ? undefined : folderOf(context.filename)
  if (folder === undefined) return []
  const own = rows.findIndex((row) => row.includes(folder))
  const allowed = rows.slice(0, Math.max(own, 0)).flat()
  return [
    {
      file: (node) => own < 0 && context.report({ node, messageId: 'unlisted', data: { folder } }),
      imported: (node, file) => {
        if (own < 0 || isOutside(file)) return
        const target = folderOf(file)
        if (target === folder || allowed.includes(target)) return
        const data = {
          folder,
          target: target ?? basename(file),
          allowed: allowed.join(', ') || 'no other folder',
        }
        context.report({ node, messageId: target === undefined ? 'root' : 'upwards', data })
      },
    },
  ]
}

const linearPattern = {
  meta: {
    type: 'problem',
    docs: { description: 'A pattern that reads text of a server or a user takes linear time' },
    schema: [],
    messages: {
      overlap:
        '{{first}} and {{second}} can match the same text, so a failing match takes quadratic time; anchor the pattern, or put a character between them that one of them excludes',
    },
  },
  create(context) {
    const check = (node, pattern, flags) => {
      const [first, second] = findOverlap(pattern, flags) ?? []
      if (first) context.report({ node, messageId: 'overlap', data: { first, second } })
    }
    const built = (node) => {
      const [pattern, flags] = node.arguments
      if (typeof pattern?.value === 'string') check(node, pattern.value, flags?.value ?? '')
    }
    return {
      'Literal[regex]': (node) => check(node, node.regex.pattern, node.regex.flags),
      'NewExpression[callee.name="RegExp"]': built,
      'CallExpression[callee.name="RegExp"]': built,
    }
  },
}

export default {
  rules: {
    'linear-pattern': linearPattern,
    'plain-wording': plainWording,
    'test-title': testTitle,
    'no-import-cycle': noImportCycle,
    'import-boundary': importBoundary,
    'folder-order': folderOrder,
    'file-name': fileName,
    'no-vendor-name': noVendorName,
    'no-foreign-name': noForeignName,
    'no-time-assertion': noTimeAssertion,
  },
}
