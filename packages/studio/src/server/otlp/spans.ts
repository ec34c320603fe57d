import { asText, isLlmError, LlmError, type TokenCounts, textOf, zeroCounts } from '@modelport/core'
import type { TraceSpan } from '../../protocol/trace-span.js'
import { type Fields, fieldsOf, listOf } from '../ingest-forms.js'
import { parsed, toChatMessages } from './messages.js'

/** Maximum spans of one request. */
const mostSpans = 10_000
/** Maximum characters of one text. */
const longestText = 1_000_000
/** Maximum levels of one value. */
const deepest = 32

/** The form of the fields that a span must have; a field that is not there is an empty text. */
const patterns: Readonly<Record<string, RegExp>> = {
  traceId: /^(?!0+$)[\da-f]{32}$/i,
  spanId: /^(?!0+$)[\da-f]{16}$/i,
  parentSpanId: /^(?:[\da-f]{16})?$/i,
  startTimeUnixNano: /^[1-7]?\d{1,18}$/,
  endTimeUnixNano: /^[1-7]?\d{1,18}$/,
}

/**
 * Where spans say what: first the conventions of OpenTelemetry, then those of OpenInference, the AI
 * SDK 6, OpenLLMetry and our own.
 * @see
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/002c8a6/docs/gen-ai/gen-ai-spans.md,
 * gen-ai-agent-spans.md
 * @see https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html
 */
const names = {
  operation: [
    'gen_ai.operation.name',
    'openinference.span.kind',
    'traceloop.span.kind',
    'ai.operationId',
  ],
  provider: ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'ai.model.provider'],
  model: ['gen_ai.request.model', 'gen_ai.response.model', 'llm.model_name', 'ai.model.id'],
  tool: ['gen_ai.tool.name', 'tool.name', 'ai.toolCall.name', 'traceloop.entity.name'],
  agent: [
    'gen_ai.agent.name',
    'gen_ai.workflow.name',
    'ai.telemetry.functionId',
    'traceloop.entity.name',
  ],
  callId: ['gen_ai.tool.call.id', 'ai.toolCall.id'],
  args: ['gen_ai.tool.call.arguments', 'ai.toolCall.args', 'traceloop.entity.input', 'input.value'],
  result: [
    'gen_ai.tool.call.result',
    'ai.toolCall.result',
    'traceloop.entity.output',
    'output.value',
  ],
  input: ['gen_ai.input.messages', 'ai.prompt.messages', 'input.value'],
  output: ['gen_ai.output.messages'],
  reply: ['modelport.output', 'ai.response.text', 'output.value'],
  inputTokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
  ],
  outputTokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
  ],
  cacheReadTokens: [
    'gen_ai.usage.cache_read.input_tokens',
    'llm.token_count.prompt_details.cache_read',
  ],
} as const

type Question = keyof typeof names

/** The counts of tokens that a span may have. */
const countNames = ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const

/** The spans of one trace. */
interface ReadTrace {
  /** The name of the program that made them. */
  readonly program: string
  readonly spans: TraceSpan[]
}

/** What a request has. */
export interface ReadTraces {
  /** The traces, by their ids. */
  readonly traces: ReadonlyMap<string, ReadTrace>
  /** The number of spans that are not as OTLP defines them. */
  rejected: number
  /** Why the first of them is not; empty without one. */
  reason: string
}

/**
 * Reads a request in the form of OTLP/JSON. Spans that are not about a model, a tool or an agent
 * are left out.
 */
export function readTraces(request: unknown): ReadTraces {
  const traces = new Map<string, ReadTrace>()
  const read: ReadTraces = { traces, rejected: 0, reason: '' }
  let count = 0

  const add = (resource: unknown, fields: Fields): void => {
    if (++count > mostSpans)
      throw new LlmError('limit-exceeded', `a request has at most ${mostSpans} spans here`)
    const program = programOf(resource)
    const span = readSpan(fields)
    if (!span) return

    const id = lower(fields['traceId'])
    const trace = traces.get(id) ?? { program, spans: [] }
    trace.spans.push(span)
    traces.set(id, trace)
  }

  for (const resourceSpans of listOf(fieldsOf(request)['resourceSpans']).map(fieldsOf)) {
    const scopes = listOf(resourceSpans['scopeSpans']).map(fieldsOf)

    for (const span of scopes.flatMap((scope) => listOf(scope['spans'])))
      try {
        add(resourceSpans['resource'], fieldsOf(span))
      } catch (error) {
        if (!isLlmError(error)) throw error
        read.rejected++
        read.reason ||= error.message
      }
  }
  return read
}

/** The name of the program that a resource describes. */
function programOf(resource: unknown): string {
  const attributes = toAttributes(fieldsOf(resource)['attributes'])
  const { 'service.name': name = 'unknown_service' } = attributes
  return String(name).slice(0, 200)
}

/**
 * What a span says about a model, a tool or an agent; undefined for any other span.
 * @throws {LlmError} it is not as OTLP defines it
 */
function readSpan(span: Fields): TraceSpan | undefined {
  checkForm(span)
  const attributes = toAttributes(span['attributes'])
  const find = (what: Question): unknown =>
    attributes[names[what].find((key) => attributes[key] !== undefined) ?? '']

  const operation = asText(find('operation'))
  if (!operation && !find('model')) return undefined

  const kind = kindOf(operation)
  const from = Number(span['startTimeUnixNano']) / 1e6
  const to = Number(span['endTimeUnixNano']) / 1e6
  const output = toChatMessages(find('output'), 'assistant')
  const usage = readCounts(find)
  const error = errorOf(fieldsOf(span['status']), attributes)

  return {
    id: lower(span['spanId']),
    parent: lower(span['parentSpanId'] ?? ''),
    kind,
    name: (kind !== 'model' && asText(find(kind))) || cut(asText(span['name'])),
    provider: asText(find('provider')),
    model: asText(find('model')),
    callId: asText(find('callId')),
    from,
    to: Math.max(from, to),
    input: [
      ...toChatMessages(attributes['gen_ai.system_instructions'], 'system'),
      ...toChatMessages(find('input'), 'user'),
    ],
    output: output.length > 0 ? output : [{ role: 'assistant', content: asText(find('reply')) }],
    ...(kind !== 'model' && {
      args: parsed(find('args')),
      result: parsed(find('result') ?? (output[0] && textOf(output[0].content))),
    }),
    ...(usage && { usage }),
    ...(error && { error }),
  }
}

/** @throws {LlmError} a field of the span is not as OTLP defines it */
function checkForm(span: Fields): void {
  // Joined, an absent field is an empty text.
  for (const [name, pattern] of Object.entries(patterns))
    if (!pattern.test([span[name]].join('')))
      throw new LlmError('invalid-request', `the field ${name} of a span is not as OTLP defines it`)
}

/** What an operation calls. A span without one names a model. */
function kindOf(operation: string): TraceSpan['kind'] {
  if (/^(?:chat|generate_content|text_completion|embeddings|llm|)$|\.do/i.test(operation))
    return 'model'
  return /tool|retriev/i.test(operation) ? 'tool' : 'agent'
}

/** The tokens that a span counts; undefined if it counts none. */
function readCounts(find: (what: Question) => unknown): TokenCounts | undefined {
  const counts = countNames
    .map((name) => [name, Number(find(name))] as const)
    .filter(([, count]) => count >= 0)
  return counts.length > 0 ? { ...zeroCounts, ...Object.fromEntries(counts) } : undefined
}

/** `STATUS_CODE_ERROR` of OTLP. */
const failed = 2

/** Why the call failed; undefined if it did not. */
function errorOf({ code, message }: Fields, attributes: Fields): TraceSpan['error'] {
  if (Number(code) !== failed) return undefined
  return { code: asText(attributes['error.type']) || 'failed', message: asText(message) }
}

const lower = (text: unknown): string => String(text).toLowerCase()

const cut = (text: string): string =>
  text.length > longestText
    ? `${text.slice(0, longestText)} … (${text.length - longestText} more characters were left out)`
    : text

const toAttributes = (list: unknown, depth = 0): Fields =>
  Object.fromEntries(
    listOf(list).map((one) => [
      String(fieldsOf(one)['key']),
      toValue(fieldsOf(one)['value'], depth),
    ]),
  )

/** The value of an `AnyValue`. */
function toValue(value: unknown, depth: number): unknown {
  if (depth > deepest)
    throw new LlmError('limit-exceeded', `an attribute is nested deeper than ${deepest} levels`)
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = fieldsOf(value)
  if (typeof stringValue === 'string') return cut(stringValue)
  if (arrayValue)
    return listOf(fieldsOf(arrayValue)['values']).map((item) => toValue(item, depth + 1))
  if (kvlistValue) return toAttributes(fieldsOf(kvlistValue)['values'], depth + 1)
  return intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue)
}
