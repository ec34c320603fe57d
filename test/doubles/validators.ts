import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { root } from '../../scripts/workspaces.ts'
import { type Amendment, amendments } from './extra-fields.ts'
import type { Problem } from './sent-request.ts'
import { explain } from './shape-problems.ts'
import { geminiShapes } from './shapes/gemini.ts'
import { serverShapes } from './shapes/servers.ts'
import { uploadShapes } from './shapes/uploads.ts'

const load = createRequire(import.meta.url)
const folder = join(root, 'test/doubles/shapes')
const generated = ['openai', 'anthropic', 'anthropic-beta', 'ollama', 'bedrock']

interface Shapes {
  readonly $id: string
  readonly source: string
  readonly definitions: Record<string, object>
}

/** Every file of shapes, with what the types demand too much. */
export function readShapes(): readonly Shapes[] {
  const read = generated.map(
    (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Shapes,
  )
  for (const amendment of amendments) amend(read, amendment)
  return [...read, geminiShapes, serverShapes, uploadShapes]
}

function amend(all: readonly Shapes[], { shapes, definition, field, is }: Amendment): void {
  const found = all.find(({ $id }) => $id === shapes)?.definitions[definition] as
    | { properties: Record<string, object>; required?: string[] }
    | undefined
  const needed =
    is === 'optional'
      ? found?.required?.includes(field)
      : found && !Object.hasOwn(found.properties, field)
  if (!found || !needed)
    throw new TypeError(`${definition} of ${shapes}: ${field} needs no amendment`)
  if (is === 'optional') found.required = found.required?.filter((name) => name !== field) ?? []
  else found.properties[field] = {}
}

/** `file#definition` of what a request may be. */
const entries = [
  ...['responses', 'inputTokens', 'chat', 'embeddings', 'batches'].map((name) => `openai#${name}`),
  ...['messages', 'countTokens', 'batches'].map((name) => `anthropic#${name}`),
  'anthropic-beta#messages',
  'ollama#chat',
  'ollama#embed',
  'bedrock#converse',
  'bedrock#converseStream',
  ...['generateContent', 'countTokens', 'batchEmbedContents', 'batchGenerateContent'].map(
    (name) => `gemini#${name}`,
  ),
  ...['tokenize', 'applyTemplate'].map((name) => `servers#${name}`),
  'uploads#file',
  'uploads#anthropicFile',
  'uploads#geminiFile',
]

type Validators = Readonly<Record<string, ValidateFunction>>

/** A name that code may export. */
const exported = (entry: string): string => entry.replace(/[^a-z]/gi, '_')

/** The code of all validators. */
function compile(shapes: readonly Shapes[]): string {
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    inlineRefs: false,
    schemas: shapes.map(({ $id, definitions }) => ({ $id, definitions })),
    code: { source: true },
  })
  const refs = Object.fromEntries(
    entries.map((entry) => [exported(entry), entry.replace('#', '#/definitions/')]),
  )
  return standalone.default(ajv, refs)
}

/** Compiled once for what the shapes hold, and kept next to the installed packages. */
function loadValidators(): Validators {
  const shapes = readShapes()
  const hash = createHash('sha256')
    .update(JSON.stringify([shapes, entries]))
    .digest('hex')
    .slice(0, 16)
  const cache = join(root, 'node_modules/.cache/doubles')
  const file = join(cache, `${hash}.cjs`)
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, compile(shapes))
    renameSync(draft, file)
  }
  return load(file) as Validators
}

let validators: Validators | undefined
const definitions = new Map<string, Shapes['definitions']>()

/** What is wrong with a body; nothing where it has the shape. */
export function shapeProblems(shape: string, body: unknown): readonly Problem[] {
  validators ??= loadValidators()
  const validate = validators[exported(shape)]
  if (!validate) throw new TypeError(`no shape ${shape}`)
  if (validate(body)) return []
  if (!definitions.size)
    for (const { $id, definitions: own } of readShapes()) definitions.set($id, own)
  const [file = '', name = ''] = shape.split('#')
  const own = definitions.get(file) ?? {}
  const found = explain(own[name] ?? {}, body, own).slice(0, 4)
  return found.length
    ? found
    : [{ rule: 'shape', path: '', message: JSON.stringify(validate.errors) }]
}
