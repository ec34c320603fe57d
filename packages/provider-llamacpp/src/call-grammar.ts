import { LlmError, ProviderError, type ToolChoice } from '@modelport/core'
import type { CallFormat } from './call-format.js'
import { toLiteral, valueRules } from './grammar-text.js'
import { name, type TemplateTool } from './messages.js'
import type { LlamaRequest } from './request.js'
import { toSchemaRules } from './schema-grammar.js'

/**
 * The grammar a reply is held to, in llama.cpp's notation: a JSON schema, or tool calls where the
 * choice leaves nothing else, or either. Undefined for a free reply. After thinking it allows the
 * empty lines that models write then.
 * @throws {LlmError} `unsupported` — a tool's parameters cannot be said in a grammar.
 */
export function toGrammar(
  request: LlamaRequest,
  format: CallFormat | undefined,
  afterThinking: boolean,
): string | undefined {
  const { replyRules, toolChoice, tools } = request
  const forced = toolChoice === 'required' || typeof toolChoice === 'object'
  if (!replyRules && !forced) return undefined
  const calls =
    format && tools.length
      ? callRules(
          chosen(tools, toolChoice),
          format,
          request.parallelToolCalls && typeof toolChoice !== 'object',
        )
      : []
  const root = forced ? 'calls' : calls.length ? '(value | calls)' : 'value'
  const start = `root ::= ${afterThinking ? '[\\n]{0,2} ' : ''}${root}`
  return [...new Set([start, ...(forced ? [] : (replyRules ?? [])), ...calls, ...valueRules])].join(
    '\n',
  )
}

const chosen = (tools: readonly TemplateTool[], choice: ToolChoice): readonly TemplateTool[] =>
  typeof choice === 'object'
    ? tools.filter(({ function: tool }) => tool.name === choice.name)
    : tools

function callRules(
  tools: readonly TemplateTool[],
  format: CallFormat,
  parallel: boolean,
): readonly string[] {
  const { prefix, middle, suffix, between, end } = format
  const calls = tools.map(({ function: tool }, index) => ({
    text: `${toLiteral(tool.name + middle)} arguments-${index} ${toLiteral(suffix)}`,
    rules: parameterRules(tool, `arguments-${index}`),
  }))
  const more = parallel && between !== undefined ? ` (${toLiteral(between)} call)*` : ''
  return [
    `calls ::= ${toLiteral(prefix)} call${more} ${toLiteral(end)}`,
    `call ::= ${calls.map(({ text }) => text).join(' | ')}`,
    ...calls.flatMap(({ rules }) => rules),
  ]
}

function parameterRules(
  { name: tool, parameters }: TemplateTool['function'],
  root: string,
): readonly string[] {
  try {
    return toSchemaRules(parameters, root)
  } catch (error) {
    const why = error instanceof LlmError ? error.message.replace(`${name}: `, '') : String(error)
    const message = `${name}: the parameters of the tool "${tool}": ${why}`
    throw new ProviderError(
      'unsupported',
      message,
      { provider: name, reason: 'tools' },
      { cause: error },
    )
  }
}
