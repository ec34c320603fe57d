import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CorpusCase } from './corpus.js'

const folder = fileURLToPath(new URL('../corpus/', import.meta.url))

/**
 * What stands before the response in a file of test/corpus; the README there explains each field.
 */
interface Head {
  readonly vendor: string
  readonly model?: string
  readonly streaming: boolean
  readonly framing: CorpusCase['response']['framing']
  readonly shows: readonly string[]
  readonly note?: string
  readonly expected: Partial<Omit<CorpusCase['expected'], 'toolCalls'>> & {
    readonly toolCalls?: readonly Partial<Call>[]
  }
}
type Call = CorpusCase['expected']['toolCalls'][number]

/** The exchanges of one API that the repository has itself: `test/corpus/<api>/*.http`. */
export function ownCases(api: string): CorpusCase[] {
  const names = readdirSync(path.join(folder, api)).filter((name) => name.endsWith('.http'))
  return names
    .sort()
    .map((name) => parseCase(api, name, readFileSync(path.join(folder, api, name), 'utf8')))
}

/**
 * A JSON object, an empty line, and the response as HTTP writes it: the body is everything after
 * the next empty line.
 */
function parseCase(api: string, name: string, text: string): CorpusCase {
  const parts = /^(\{\n[\s\S]*?\n\})\n\nHTTP\/1\.1 (\d{3})\n((?:[\w-]+: .*\n)*)\n/.exec(text)
  if (!parts)
    throw new Error(`test/corpus/${api}/${name}: expected a JSON object, then "HTTP/1.1 <status>"`)
  const [whole, json = '', status, lines = ''] = parts
  const { vendor, model, streaming, framing, note, shows, expected } = JSON.parse(json) as Head
  const headers = Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  return {
    id: `${api}/${name.replace('.http', '')}`,
    api,
    vendor,
    streaming,
    strict: note === undefined,
    looseReasons: note === undefined ? [] : [note],
    features: shows,
    request: { path: '', recorded: false, body: model === undefined ? {} : { model } },
    response: { status: Number(status), headers, framing, body: text.slice(whole.length) },
    expected: withDefaults(expected),
  }
}

const withDefaults = ({ toolCalls = [], ...said }: Head['expected']): CorpusCase['expected'] => ({
  text: '',
  reasoningText: '',
  refusalText: '',
  finishReason: null,
  usage: null,
  usageRaw: null,
  terminated: true,
  ...said,
  error: said.error ? { ...said.error } : null,
  toolCalls: toolCalls.map(({ id = null, name = '', argumentsRaw = null, ...call }) => {
    // The text is what the wire says; its JSON is not written a second time.
    const isJson = argumentsRaw?.trim() && !call.argumentsMalformed && !call.custom
    return {
      id,
      name,
      argumentsRaw,
      ...call,
      arguments: call.arguments ?? (isJson ? JSON.parse(argumentsRaw ?? '') : {}),
    }
  }),
})
