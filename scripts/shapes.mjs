// Writes the shapes of requests that the servers of the tests check, from the types of packages
// that describe the wire: `node scripts/shapes.ts`. Run it after such a package has a new version;
// a test says when.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createGenerator } from 'ts-json-schema-generator'
import { shapeSources, versionOf } from './shape-sources.ts'
import { root } from './workspaces.ts'

const folder = join(root, 'test/doubles/shapes')

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  strict: true,
  skipLibCheck: true,
  types: [],
}

/** The shapes of one file, a definition a line. */
function writeShapes(name, { from, shapes }) {
  const scratch = mkdtempSync(join(root, 'node_modules/.shapes-'))
  try {
    const path = join(scratch, 'entry.ts')
    const lines = Object.entries(shapes).map(
      ([shape, [type, module]]) =>
        `import type { ${type} as ${shape}_ } from '${module ? `${from}/${module}` : from}'\nexport type ${shape} = ${shape}_\n`,
    )
    writeFileSync(path, lines.join(''))
    const tsconfig = join(scratch, 'tsconfig.json')
    writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: ['entry.ts'] }))
    const { definitions } = createGenerator({
      path,
      tsconfig,
      type: '*',
      additionalProperties: false,
      jsDoc: 'none',
      skipTypeCheck: true,
      expose: 'all',
      encodeRefs: false,
    }).createSchema('*')
    return toFile(name, `the types of ${from} ${versionOf(from)}`, definitions)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function toFile(name, source, definitions) {
  const rows = Object.entries(definitions).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  )
  return `{"$id":"${name}","source":"${source}","definitions":{\n${rows.join(',\n')}\n}}\n`
}

/**
 * The simple types of an AWS schema: 15 is any JSON, 21 bytes, which are base64 on the wire; 64 and
 * 128 are lists and maps of one.
 */
const simple = {
  0: { type: 'string' },
  1: { type: 'number' },
  2: { type: 'boolean' },
  15: {},
  21: { type: 'string' },
}

/**
 * The shapes of one file, of the schemas that an AWS package carries: a list whose first item says
 * what it is.
 */
function writeSchemas(name, { from, at, schemas }) {
  const load = createRequire(join(root, at, 'package.json'))
  const package_ = load(from)
  const definitions = {}
  const toShape = (schema) => {
    if (typeof schema === 'function') return toShape(schema())
    if (typeof schema === 'number') {
      const inner = simple[schema % 64]
      return schema < 64
        ? inner
        : schema < 128
          ? { type: 'array', items: inner }
          : { type: 'object', additionalProperties: inner }
    }
    const [kind, , id, , ...rest] = schema
    // A schema with traits: they say where a member travels, which is the path for the model.
    if (typeof kind !== 'number' || schema.length === 2) return toShape(kind)
    if (!definitions[id]) {
      definitions[id] = {}
      if (kind === 1) definitions[id] = { type: 'array', items: toShape(rest[0]) }
      else if (kind === 2)
        definitions[id] = { type: 'object', additionalProperties: toShape(rest[1]) }
      else {
        const [members, types, required = 0] = rest
        const inBody = members.filter(
          (_, index) => !(Array.isArray(types[index]) && types[index][1] === 1),
        )
        definitions[id] = {
          type: 'object',
          properties: Object.fromEntries(
            inBody.map((member) => [member, toShape(types[members.indexOf(member)])]),
          ),
          ...(kind === 3 && {
            required: members.slice(0, required).filter((member) => inBody.includes(member)),
          }),
          ...(kind === 4 && { minProperties: 1, maxProperties: 1 }),
          additionalProperties: false,
        }
      }
    }
    return { $ref: `#/definitions/${id}` }
  }
  const shapes = Object.entries(schemas).map(([shape, id]) => [shape, toShape(package_[`${id}$`])])
  return toFile(name, `the types of ${from} ${versionOf(from, at)}`, {
    ...Object.fromEntries(shapes),
    ...definitions,
  })
}

for (const [name, source] of Object.entries(shapeSources)) {
  const text = source.schemas ? writeSchemas(name, source) : writeShapes(name, source)
  writeFileSync(join(folder, `${name}.json`), text)
  console.log(`${name}: ${text.length} bytes`)
}
