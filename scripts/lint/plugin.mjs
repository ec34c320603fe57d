// The repository's own lint rules. Each exists because a rule nobody checks is not kept.
import { basename, dirname, resolve, sep } from 'node:path'

const BUILTIN = /^(?:node:|bun:|(?:assert|buffer|child_process|crypto|dns|events|fs|http|http2|https|net|os|path|process|stream|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(?:\/|$))/

const matches = (pattern, specifier) =>
  pattern.endsWith('*') ? specifier.startsWith(pattern.slice(0, -1)) : specifier === pattern || specifier.startsWith(`${pattern}/`)

const srcFolder = (filename) => {
  const parts = filename.split(sep)
  const at = parts.lastIndexOf('src')
  return parts.slice(0, at + 1).join(sep)
}

/** Static, type, re-export, dynamic and `import("x")` type imports, and `require`: every way to reach another module. */
const importBoundary = {
  meta: {
    type: 'problem',
    docs: { description: 'A package imports only what the table of boundaries gives it' },
    schema: [{ type: 'object' }],
    messages: {
      forbidden: '{{name}} may not import "{{specifier}}"; it may import: {{allowed}}',
      outside: '"{{specifier}}" leaves the package by a relative path; import the package by its name',
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
        if (!target.startsWith(src + sep)) context.report({ node, messageId: 'outside', data: { specifier } })
        return
      }
      if (BUILTIN.test(specifier) && !row.imports.includes(specifier)) {
        if (row.builtins && specifier.startsWith('node:')) return
      } else if (row.imports.some((pattern) => matches(pattern, specifier))) return
      if (dynamic && row.dynamicImports?.some((pattern) => matches(pattern, specifier))) return
      const data = { name: row.file ?? row.package, specifier, allowed: allowed.join(', ') || 'nothing' }
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
      'CallExpression[callee.property.name="getBuiltinModule"]': (node) => row.builtins || check(node.arguments[0]),
    }
  },
}

const fileName = {
  meta: {
    type: 'suggestion',
    docs: { description: 'A file is kebab-case and named after its one concept' },
    schema: [],
    messages: { kebab: 'File names are kebab-case: {{name}}', vague: '"{{name}}" names no concept; name the file after what it holds' },
  },
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename)
      if (!/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|test-d|config|base|d))*\.[cm]?[jt]sx?$/.test(name)) context.report({ node, messageId: 'kebab', data: { name } })
      if (/^(?:utils?|helpers?|common|misc)\./.test(name)) context.report({ node, messageId: 'vague', data: { name } })
    },
  }),
}

const noVendorName = {
  meta: {
    type: 'problem',
    docs: { description: 'No vendor is named outside its provider package, the preset table and the factory table' },
    schema: [{ type: 'array' }],
    messages: { vendor: 'This package knows no vendor, but says "{{name}}"' },
  },
  create: (context) => ({
    Program() {
      const { sourceCode } = context
      const text = sourceCode.text.toLowerCase()
      for (const name of context.options[0]) {
        for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
          const loc = { start: sourceCode.getLocFromIndex(at), end: sourceCode.getLocFromIndex(at + name.length) }
          context.report({ loc, messageId: 'vendor', data: { name } })
        }
      }
    },
  }),
}

export default { rules: { 'import-boundary': importBoundary, 'file-name': fileName, 'no-vendor-name': noVendorName } }
