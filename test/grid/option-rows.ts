// The second table: every call option and every kind of content, at every API. A row is one call of
// `generate`, and the same call without what the row is about.
import {
  type CallOptions,
  type ChatMessage,
  type Content,
  type ContentPart,
  describeProvider,
  type Provider,
} from '@modelport/core'
import { optionNames } from '@modelport/core/settings'
import type { Exception } from '../../scripts/exception.ts'
import { readText } from '../support/repository.js'
import { question, weatherDefinition, weatherSchema } from './door.js'

/** One row. */
export interface OptionRow {
  readonly name: string
  /** Option, or `Part.field`, that the row is about. */
  readonly covers: string
  readonly options?: CallOptions | ((provider: Provider) => CallOptions)
  readonly messages?: readonly ChatMessage[]
  /** The call that differs in nothing else. Default: no options, and the question alone. */
  readonly without?: { readonly options?: CallOptions; readonly messages?: readonly ChatMessage[] }
}

const ask = (content: Content): readonly ChatMessage[] => [{ role: 'user', content }]
/** A picture of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const png = { type: 'base64', data: pixel, mediaType: 'image/png' } as const
const pdf = { type: 'base64', data: 'JVBERi0xLjQKJSVFT0YK', mediaType: 'application/pdf' } as const
const wav = {
  type: 'base64',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=',
  mediaType: 'audio/wav',
} as const
const text = { type: 'text', text: question } as const

const tools = [weatherDefinition]
const called = {
  id: 'call_a1',
  name: 'get_weather',
  arguments: { city: 'Rome' },
  argumentsText: '{"city":"Rome"}',
}
const told = (content: Content): readonly ChatMessage[] => [
  ...ask(question),
  { role: 'assistant', content: '', toolCalls: [called] },
  { role: 'tool', toolCallId: called.id, toolName: called.name, content },
]

const option = <Name extends keyof CallOptions>(
  covers: Name,
  value: CallOptions[Name],
  shown = JSON.stringify(value),
): OptionRow => ({
  name: `${covers}: ${shown}`,
  covers,
  options: { [covers]: value },
})
const withTools = (covers: keyof CallOptions, value: unknown): OptionRow => ({
  name: `${covers}: ${JSON.stringify(value)}`,
  covers,
  options: { tools, [covers]: value },
  without: { options: { tools } },
})
const part = (name: string, covers: string, found: ContentPart): OptionRow => ({
  name,
  covers,
  messages: ask([text, found]),
  without: { messages: ask([text]) },
})
/** A field of a part, next to the same part without it. */
const field = (
  name: string,
  covers: string,
  found: ContentPart,
  without: ContentPart,
): OptionRow => ({
  name,
  covers,
  messages: ask([text, found]),
  without: { messages: ask([text, without]) },
})

const levels =
  /readonly reasoning\?: (.*)/.exec(readText('packages/core/src/options.ts'))?.[1] ?? ''

/** The rows of the options. */
export const optionRows: readonly OptionRow[] = [
  option('system', 'Be brief.'),
  option('maxTokens', 100),
  option('temperature', 0.2),
  option('topP', 0.9),
  option('topK', 40),
  option('stop', ['END']),
  option('seed', 7),
  option('tools', tools, 'one'),
  withTools('toolChoice', 'auto'),
  withTools('toolChoice', 'none'),
  withTools('toolChoice', 'required'),
  withTools('toolChoice', { name: 'get_weather' }),
  withTools('parallelToolCalls', false),
  {
    ...option('responseFormat', { type: 'json' }, 'json'),
    messages: ask('How warm is it in Rome? Answer as JSON.'),
    without: { messages: ask('How warm is it in Rome? Answer as JSON.') },
  },
  option('responseFormat', { type: 'json-schema', schema: weatherSchema }, 'an open schema'),
  option(
    'responseFormat',
    {
      type: 'json-schema',
      schema: { ...weatherSchema, additionalProperties: false },
      strict: true,
    },
    'a closed schema',
  ),
  ...[...levels.matchAll(/'(\w+)'/g)].map(([, level]) =>
    option('reasoning', level as CallOptions['reasoning']),
  ),
  {
    ...option('cache', 'auto'),
    options: { cache: 'auto', system: 'Be brief.' },
    without: { options: { system: 'Be brief.' } },
  },
  {
    ...option('cache', 'hour'),
    options: { cache: 'hour', system: 'Be brief.' },
    without: { options: { system: 'Be brief.' } },
  },
  option('topLogprobs', 3),
  {
    name: "providerTools: the vendor's search",
    covers: 'providerTools',
    options: (provider) => ({
      providerTools: [
        describeProvider(provider).capabilities?.providerTools?.webSearch ?? { type: 'web_search' },
      ],
    }),
  },
]

/** The rows of the content. */
export const contentRows: readonly OptionRow[] = [
  part('an image, as bytes', 'ImagePart', { type: 'image', source: png }),
  part('an image, by address', 'MediaSource', {
    type: 'image',
    source: { type: 'url', url: 'https://example.com/a.png' },
  }),
  field(
    'an image, with detail',
    'ImagePart.detail',
    { type: 'image', source: png, detail: 'low' },
    { type: 'image', source: png },
  ),
  part('a sound, as bytes', 'AudioPart', { type: 'audio', source: wav }),
  part('a document, as bytes', 'FilePart', { type: 'file', source: pdf, name: 'a.pdf' }),
  field(
    'a document, with a name',
    'FilePart.name',
    { type: 'file', source: pdf, name: 'a.pdf' },
    { type: 'file', source: pdf },
  ),
  part('a document, by address', 'MediaSource', {
    type: 'file',
    source: { type: 'url', url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
  }),
  part('a document, by an id of another vendor', 'MediaSource', {
    type: 'file',
    source: { type: 'file', id: 'file-1', origin: 'elsewhere' },
  }),
  field(
    'a video, clipped',
    'FilePart.clip',
    {
      type: 'file',
      source: { type: 'url', url: 'https://example.com/a.mp4', mediaType: 'video/mp4' },
      clip: { start: 1, end: 2 },
    },
    {
      type: 'file',
      source: { type: 'url', url: 'https://example.com/a.mp4', mediaType: 'video/mp4' },
    },
  ),
  field(
    'a search result',
    'TextPart.found',
    { type: 'text', text: 'Rome: 28', found: { url: 'https://example.com/rome', title: 'Rome' } },
    { type: 'text', text: 'Rome: 28' },
  ),
  field(
    'a part with a cache mark',
    'ContentFields.cache',
    { type: 'text', text: 'Long.', cache: 'auto' },
    { type: 'text', text: 'Long.' },
  ),
  {
    name: 'a tool result that failed',
    covers: 'ToolMessage.isError',
    options: { tools },
    messages: told('no weather').map((message) =>
      message.role === 'tool' ? { ...message, isError: true } : message,
    ),
    without: { options: { tools }, messages: told('no weather') },
  },
  {
    name: 'a tool result with an image',
    covers: 'ToolMessage.content',
    options: { tools },
    messages: told([
      { type: 'text', text: '28 degrees' },
      { type: 'image', source: png },
    ]),
    without: { options: { tools }, messages: told([{ type: 'text', text: '28 degrees' }]) },
  },
  {
    name: 'a reply that begins the conversation',
    covers: 'AssistantMessage',
    messages: [{ role: 'assistant', content: 'Hello.' }, ...ask(question)],
  },
  {
    name: 'two user messages in a row',
    covers: 'UserMessage',
    messages: [{ role: 'user', content: 'Hello.' }, ...ask(question)],
  },
  {
    name: 'a system message in the middle',
    covers: 'SystemMessage',
    messages: [
      { role: 'user', content: 'Hello.' },
      { role: 'system', content: 'Be brief.' },
      ...ask(question),
    ],
    without: { messages: [{ role: 'user', content: 'Hello.' }, ...ask(question)] },
  },
]

/** What has no row, and why. */
export const withoutOptionRow: readonly Exception[] = [
  { where: 'signal', why: 'no request says it' },
  { where: 'deadlineMs', why: 'no request says it' },
  { where: 'retry', why: 'no request says it' },
  { where: 'vendor', why: 'its fields are those of the vendor: test/vendor-on-the-wire.test.ts' },
  {
    where: 'ContentFields.vendor',
    why: 'its fields are those of the vendor: test/vendor-on-the-wire.test.ts',
  },
]

/** What an API cannot express, without a warning, and why that is right. By what the row covers. */
export const unsaid: readonly Exception[] = [
  { where: 'toolChoice', why: 'what the API does without being told' },
  { where: 'reasoning', why: 'the model does not think without being told' },
  {
    where: 'cache',
    why: 'the vendor keeps the start of a prompt without being told, or keeps none',
  },
  { where: 'ImagePart.detail', why: 'a wish, for vendors that take it' },
  { where: 'FilePart.name', why: 'the API has no name for a document' },
]

/** What must have a row: call options, and fields of parts. */
export function neededRows(): readonly string[] {
  const source = readText('packages/core/src/content.ts')
  const fields = ['ContentFields', 'TextPart', 'ImagePart', 'AudioPart', 'FilePart'].flatMap(
    (name) => {
      const body =
        new RegExp(`interface ${name}(?: extends \\w+)? \\{\\n([^]*?)^\\}`, 'm').exec(
          source,
        )?.[1] ?? ''
      return [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, one = '']) => `${name}.${one}`)
    },
  )
  return [...optionNames.call, ...fields]
}
