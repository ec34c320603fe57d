import { asText, isLlmError, LlmError, textOf, zeroCounts } from '@modelport/core'
import type { TraceSpan } from '../../protocol/trace-span.js'
import { type Fields, fieldsOf, listOf } from '../ingest-forms.js'
import { parsed, toChatMessages } from './messages.js'

/** Maximum spans of one request, characters of one text, and depth of one value. */
const [mostSpans, longestText, deepest] = [10_000, 1_000_000, 32]

const patterns: Readonly<Record<string, RegExp>> = {
  ...{
    traceId: /^(?!0+$)[\da-f]{32}$/i,
    spanId: /^(?!0+$)[\da-f]{16}$/i,
    parentSpanId: /^(?:[\da-f]{16})?$/i,
  },
  ...{ startTimeUnixNano: /^[1-7]?\d{1,18}$/, endTimeUnixNano: /^[1-7]?\d{1,18}$/ },
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

/**
 * What a request has: spans by the ids of their traces, and the number of those that are not as
 * OTLP defines them, with the first reason.
 */
export interface ReadTraces {
  readonly traces: ReadonlyMap<string, { readonly program: string; readonly spans: TraceSpan[] }>
  rejected: number
  reason: string
}

/**
 * Reads a request in the form of OTLP/JSON. Spans that are not about a model, a tool or an agent
 * are left out.
 */
export function readTraces(request: unknown): ReadTraces {
  const traces = new Map<string, { readonly program: string; readonly spans: TraceSpan[] }>()
  const found: ReadTraces = { traces, rejected: 0, reason: '' }
  let count = 0
  for (const { resource, scopeSpans } of listOf(fieldsOf(request)['resourceSpans']).map(fieldsOf))
    for (const span of listOf(scopeSpans).flatMap((scope) => listOf(fieldsOf(scope)['spans'])))
      try {
        if (++count > mostSpans)
          throw new LlmError('limit-exceeded', `a request has at most ${mostSpans} spans here`)
        const { 'service.name': service = 'unknown_service' } = toAttributes(
          fieldsOf(resource)['attributes'],
        )
        const read = readSpan(fieldsOf(span))
        const id = lower(fieldsOf(span)['traceId'])
        const trace = traces.get(id) ?? { program: String(service).slice(0, 200), spans: [] }
        if (read) traces.set(id, trace).get(id)?.spans.push(read)
      } catch (error) {
        if (!isLlmError(error)) throw error
        found.rejected++
        found.reason ||= error.message
      }
  return found
}

/**
 * What a span says about a model, a tool or an agent; undefined for any other span.
 * @throws {LlmError} it is not as OTLP defines it
 */
function readSpan(span: Fields): TraceSpan | undefined {
  for (const [name, pattern] of Object.entries(patterns))
    if (!pattern.test([span[name]].join('')))
      throw new LlmError('invalid-request', `the field ${name} of a span is not as OTLP defines it`)
  const all = toAttributes(span['attributes'])
  const find = (what: keyof typeof names): unknown =>
    all[names[what].find((key) => all[key] !== undefined) ?? '']
  const operation = asText(find('operation'))
  if (!operation && !find('model')) return undefined
  const isModel = /^(?:chat|generate_content|text_completion|embeddings|llm|)$|\.do/i.test(
    operation,
  )
  const kind = isModel ? 'model' : /tool|retriev/i.test(operation) ? 'tool' : 'agent'
  const [from, end] = [
    Number(span['startTimeUnixNano']) / 1e6,
    Number(span['endTimeUnixNano']) / 1e6,
  ]
  const counted = (Object.keys(names) as (keyof typeof names)[]).filter((what) =>
    what.endsWith('Tokens'),
  )
  const counts = counted
    .map((what) => [what, Number(find(what))] as const)
    .filter(([, count]) => count >= 0)
  const said = toChatMessages(find('output'), 'assistant')
  const { code, message } = fieldsOf(span['status'])
  return {
    ...{
      id: lower(span['spanId']),
      parent: lower(span['parentSpanId'] ?? ''),
      kind,
      from,
      to: Math.max(from, end),
    },
    name: (kind === 'model' ? '' : asText(find(kind))) || cut(asText(span['name'])),
    ...{
      provider: asText(find('provider')),
      model: asText(find('model')),
      callId: asText(find('callId')),
    },
    input: [
      ...toChatMessages(all['gen_ai.system_instructions'], 'system'),
      ...toChatMessages(find('input'), 'user'),
    ],
    output: said[0] ? said : [{ role: 'assistant', content: asText(find('reply')) }],
    ...(kind !== 'model' && {
      args: parsed(find('args')),
      result: parsed(find('result') ?? (said[0] && textOf(said[0].content))),
    }),
    ...(counts.length > 0 && { usage: { ...zeroCounts, ...Object.fromEntries(counts) } }),
    // STATUS_CODE_ERROR
    ...(Number(code) === 2 && {
      error: { code: asText(all['error.type']) || 'failed', message: asText(message) },
    }),
  }
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
