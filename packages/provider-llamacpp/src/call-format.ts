import type { TemplateInput, TemplateMessage, TemplateTool } from './messages.js'

/** How a model writes tool calls: JSON with a name and arguments, between marks or bare. */
export interface CallFormat {
  /**
   * Text that begins a call, for example `<tool_call>`. For bare calls the start of the JSON
   * itself.
   */
  readonly open: string
  /** True when `open` belongs to the JSON. */
  readonly bare: boolean
  /** True when the calls of a turn are one JSON list. */
  readonly list: boolean
  /** Text that ends a call; '' when the JSON's end is the call's. */
  readonly close: string
  /** What a grammar writes before the name. */
  readonly prefix: string
  /** What it writes between name and arguments. */
  readonly middle: string
  /** What it writes after the arguments. */
  readonly suffix: string
  /**
   * What it writes between two calls, up to the name of the second. Undefined when the template
   * knows only one call a turn.
   */
  readonly between: string | undefined
  /** What it writes after the last call. */
  readonly end: string
}

/** Texts that no template writes by itself, so that they can be found again in what it writes. */
const toolName = 'zqfirst'
const callName = 'zqcalled'
const secondName = 'zqsecond'
const replyText = 'zqcontent'

const user: TemplateMessage = { role: 'user', content: 'zquser' }

const tool: TemplateTool = {
  type: 'function',
  function: {
    name: toolName,
    description: 'zq',
    parameters: { type: 'object', properties: { zqkey: { type: 'integer' } } },
  },
}

type TemplateCall = NonNullable<TemplateMessage['tool_calls']>[number]

const toCall = (name: string): TemplateCall => ({
  id: 'zqcall0001',
  type: 'function',
  function: { name, arguments: { zqkey: 1 } },
})

/** From the first bracket that closes a list of calls, without the space before it. */
const listEnd = /(?<!\s)\s*\].*$/s

/**
 * Finds how calls are written by having the template write some. Undefined when it shows no tools,
 * or writes calls as something other than JSON.
 */
export function findCallFormat(
  render: (input: TemplateInput) => string | undefined,
): CallFormat | undefined {
  const write = (content: string, ...names: string[]): string | undefined =>
    render({
      messages: [user, { role: 'assistant', content, tool_calls: names.map(toCall) }],
      tools: [tool],
      generate: false,
    })

  const plainPrompt = render({ messages: [user], generate: true })
  const prompt = render({ messages: [user], tools: [tool], generate: true })
  const oneCall = write('', callName)
  if (plainPrompt === undefined || prompt === undefined || oneCall === undefined) return undefined
  if (!prompt.includes(toolName)) return undefined

  const withContent = write(replyText, callName) ?? ''
  const prefix =
    textBetween(withContent, replyText, callName)?.trimStart() ?? prefixAfterPrompt(oneCall, prompt)
  const call = splitCall(oneCall)
  if (prefix === undefined || !call) return undefined

  const open = openingOf(prefix)
  if (open === undefined || !/"(arguments|parameters)"\s*:\s*$/.test(call.middle)) return undefined

  const twoCalls = write('', callName, secondName)
  const gap =
    twoCalls === undefined
      ? undefined
      : textBetween(twoCalls.slice(twoCalls.indexOf(callName)), call.arguments, secondName)

  const jsonEnd = /^\s*\}\s*\]?\s*/.exec(call.after)?.[0]
  if (jsonEnd === undefined) return undefined

  // Space after the JSON belongs to the call only if a mark follows.
  const close = open ? closeOf(call.after.slice(jsonEnd.length), open) : ''
  const suffix = close ? jsonEnd + close : jsonEnd.trimEnd()
  const list = prefix.slice(open.length).includes('[')
  return {
    // A bare call is recognized by the first key of its JSON.
    open: open || prefix.slice(0, prefix.indexOf(':') + 1),
    bare: !open,
    list,
    close,
    prefix,
    middle: call.middle,
    suffix: list ? suffix.replace(listEnd, '') : suffix,
    between: separatorOf(gap, { prefix, suffix, list }),
    end: list ? (listEnd.exec(suffix)?.[0] ?? ']') : '',
  }
}

/**
 * The mark before the JSON of a call, of which `prefix` has the start; '' for a bare call.
 * Undefined if the JSON does not begin with the name.
 */
const openingOf = (prefix: string): string | undefined => {
  const match = /^(.*?)(?<!\s)\s*(?:\[\s*)?\{\s*"name"\s*:\s*"$/s.exec(prefix)
  return match ? (match[1] ?? '') : undefined
}

/** A written call, from the end of its name. */
interface WrittenCall {
  /** Between name and arguments. */
  readonly middle: string
  readonly arguments: string
  readonly after: string
}

/** The last call that a template wrote; undefined if its arguments are not JSON. */
function splitCall(text: string): WrittenCall | undefined {
  const afterName = text.slice(text.lastIndexOf(callName) + callName.length)
  const match = /^(.*?)(\{\s*"zqkey"\s*:\s*1\s*\})(.*)$/s.exec(afterName)
  if (!match) return undefined

  const [, middle = '', args = '', after = ''] = match
  return { middle, arguments: args, after }
}

/**
 * The mark that ends a call, as `</tool_call>` ends `<tool_call>`; '' if `after` does not begin
 * with it.
 */
function closeOf(after: string, open: string): string {
  const tag = open.trim()
  const name = /^[<[]([\w:|-]+)[>\]]$/.exec(tag)?.[1]
  if (name === undefined) return ''

  const close = tag.replace(name, `/${name}`)
  return after.startsWith(close) ? close : ''
}

/**
 * What a grammar writes between two calls: the text between their arguments, without the suffix of
 * the first call. Undefined when the template cannot write two calls.
 */
function separatorOf(
  gap: string | undefined,
  { prefix, suffix, list }: { prefix: string; suffix: string; list: boolean },
): string | undefined {
  if (gap === undefined) return undefined
  if (list) return /^\s*\}(\s*,\s*\{\s*"name"\s*:\s*")$/s.exec(gap)?.[1]
  if (!gap.startsWith(suffix) || !gap.endsWith(prefix)) return undefined
  return gap.slice(suffix.length, gap.length - prefix.length) + prefix
}

function textBetween(text: string, from: string, to: string): string | undefined {
  const start = text.indexOf(from)
  const end = text.indexOf(to, start + from.length)
  return start < 0 || end < 0 ? undefined : text.slice(start + from.length, end)
}

/**
 * The text before the name of a call, for templates that do not show content next to calls: all
 * that follows the prompt.
 */
function prefixAfterPrompt(oneCall: string, prompt: string): string | undefined {
  const nameStart = oneCall.indexOf(callName)
  if (nameStart < 0 || !oneCall.startsWith(prompt)) return undefined
  return oneCall.slice(prompt.length, nameStart)
}
