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
  /**
   * What a grammar writes: before the name, between name and arguments, after the arguments,
   * between calls, after the last.
   */
  readonly prefix: string
  readonly middle: string
  readonly suffix: string
  /** Undefined when the template knows only one call a turn. */
  readonly between: string | undefined
  readonly end: string
}

const tool: TemplateTool = {
  type: 'function',
  function: {
    name: 'zqfirst',
    description: 'zq',
    parameters: { type: 'object', properties: { zqkey: { type: 'integer' } } },
  },
}

/**
 * Finds how calls are written by having the template write some. Undefined when it shows no tools,
 * or writes calls as something other than JSON.
 */
export function findCallFormat(
  render: (input: TemplateInput) => string | undefined,
): CallFormat | undefined {
  const user: TemplateMessage = { role: 'user', content: 'zquser' }
  const call = (name: string): NonNullable<TemplateMessage['tool_calls']>[number] => ({
    id: 'zqcall0001',
    type: 'function',
    function: { name, arguments: { zqkey: 1 } },
  })
  const write = (content: string, ...names: string[]): string | undefined =>
    render({
      messages: [user, { role: 'assistant', content, tool_calls: names.map(call) }],
      tools: [tool],
      generate: false,
    })
  const plain = render({ messages: [user], generate: true })
  const shown = render({ messages: [user], tools: [tool], generate: true })
  const one = write('', 'zqcalled')
  if (plain === undefined || shown === undefined || one === undefined || !shown.includes('zqfirst'))
    return undefined
  const after = write('zqcontent', 'zqcalled') ?? ''
  const head =
    textBetween(after, 'zqcontent', 'zqcalled')?.trimStart() ?? headAfterPrompt(one, shown)
  const single = cut(one, 'zqcalled')
  if (head === undefined || !single) return undefined
  const opening = /^(.*?)(?<!\s)\s*(?:\[\s*)?\{\s*"name"\s*:\s*"$/s.exec(head)
  if (!opening || !/"(arguments|parameters)"\s*:\s*$/.test(single.middle)) return undefined
  const open = opening[1] ?? ''
  const two = write('', 'zqcalled', 'zqsecond')
  const between =
    two === undefined
      ? undefined
      : textBetween(two.slice(two.indexOf('zqcalled')), single.arguments, 'zqsecond')
  const rest = /^\s*\}\s*\]?\s*/.exec(single.after)?.[0]
  if (rest === undefined) return undefined
  const close = open ? closeOf(single.after.slice(rest.length), open) : ''
  const suffix =
    single.after.slice(0, rest.trimEnd().length) +
    (close ? single.after.slice(rest.trimEnd().length, rest.length) + close : '')
  const list = head.slice(open.length).includes('[')
  const joint = joinOf(between, { prefix: head, suffix, list })
  return {
    open: open || head.slice(0, head.indexOf(':') + 1),
    bare: !open,
    list,
    close,
    prefix: head,
    middle: single.middle,
    suffix: list ? suffix.replace(/(?<!\s)\s*\].*$/s, '') : suffix,
    between: joint,
    end: list ? (/(?<!\s)\s*\].*$/s.exec(suffix)?.[0] ?? ']') : '',
  }
}

interface WrittenCall {
  readonly middle: string
  readonly arguments: string
  readonly after: string
}

/** What stands after the name of a written call. */
function cut(text: string, name: string): WrittenCall | undefined {
  const rest = text.slice(text.lastIndexOf(name) + name.length)
  const match = /^(.*?)(\{\s*"zqkey"\s*:\s*1\s*\})(.*)$/s.exec(rest)
  return match
    ? { middle: match[1] ?? '', arguments: match[2] ?? '', after: match[3] ?? '' }
    : undefined
}

/** The mark that ends a call: the counterpart of its opening tag, where the text has it. */
function closeOf(after: string, open: string): string {
  const tag = /^[<[]([\w:|-]+)[>\]]$/.exec(open.trim())
  const close = tag ? open.trim().replace(tag[1] ?? '', `/${tag[1] ?? ''}`) : ''
  return close && after.startsWith(close) ? close : ''
}

/**
 * What stands between two calls, without what belongs to them; undefined when two cannot be
 * written.
 */
function joinOf(
  text: string | undefined,
  { prefix, suffix, list }: { prefix: string; suffix: string; list: boolean },
): string | undefined {
  if (text === undefined) return undefined
  if (list) return /^\s*\}(\s*,\s*\{\s*"name"\s*:\s*")$/s.exec(text)?.[1]
  if (!text.startsWith(suffix) || !text.endsWith(prefix)) return undefined
  return text.slice(suffix.length, text.length - prefix.length) + prefix
}

function textBetween(text: string, from: string, to: string): string | undefined {
  const start = text.indexOf(from)
  const end = text.indexOf(to, start + from.length)
  return start < 0 || end < 0 ? undefined : text.slice(start + from.length, end)
}

/**
 * For templates that do not show content next to calls: what stands between the start of the reply
 * and the name.
 */
function headAfterPrompt(written: string, prompt: string): string | undefined {
  const name = written.indexOf('zqcalled')
  if (name < 0 || !written.startsWith(prompt)) return undefined
  return written.slice(prompt.length, name)
}
