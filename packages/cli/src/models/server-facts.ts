import { isObject } from '@modelport/core'
import { type ModelConfig, resolveApiKey, resolveModel } from '@modelport/factory'
import type { Cli } from '../context/cli.js'

/** Maximum milliseconds for a server to say what a model can. */
const timeoutMs = 5000
/** Maximum characters of its response: lists of routers have some megabytes. */
const maxLength = 33_554_432

interface Question {
  /** Path on the server, or an address below the base URL if it begins with a dot. */
  readonly path: string
  readonly body?: object
  /** Sent after a yes: a server whose settings do not allow tool calls refuses this request. */
  readonly confirm?: { readonly path: string; readonly body: object }
  /** True or false if the response says so. */
  read(response: unknown): boolean | undefined
}

type Fields = Readonly<Record<string, unknown>>

const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) ? value[name] : undefined
const listOf = (value: unknown, name: string): readonly unknown[] => {
  const list = fieldOf(value, name)
  return Array.isArray(list) ? list : []
}
const entryOf = (value: unknown, model: string): Fields | undefined =>
  listOf(value, 'data')
    .filter(isObject)
    .find(({ id }) => id === model)
/** Undefined if there is no such list: an older server says nothing with it. */
const has = (value: unknown, name: string, word: string): boolean | undefined =>
  Array.isArray(fieldOf(value, name)) ? listOf(value, name).includes(word) : undefined

/** llama-server. Most other servers have no such path, and say nothing. */
const props = (): Question => ({
  path: '/props',
  // Without --jinja the template has tools, and requests with tools are refused. This one writes a
  // prompt, and no model runs.
  confirm: {
    path: '/apply-template',
    body: {
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    },
  },
  read: (shown) => {
    const caps = fieldOf(shown, 'chat_template_caps')
    const tools = fieldOf(caps, 'supports_tools')
    const calls = fieldOf(caps, 'supports_tool_calls')
    return typeof tools === 'boolean' || typeof calls === 'boolean'
      ? tools === true && calls === true
      : undefined
  },
})

/** How each kind of server says whether a model calls tools. */
const questions: Readonly<Record<string, (model: string) => Question>> = {
  ollama: (model) => ({
    path: '/api/show',
    body: { model },
    read: (shown) => has(shown, 'capabilities', 'tools'),
  }),
  lmstudio: (model) => ({
    path: '/api/v0/models',
    read: (list) => has(entryOf(list, model), 'capabilities', 'tool_use'),
  }),
  'llamacpp-server': props,
  'openai-compatible': props,
  openrouter: (model) => ({
    path: './models',
    read: (list) => has(entryOf(list, model), 'supported_parameters', 'tools'),
  }),
  huggingface: (model) => ({
    path: './models',
    read: (list) => {
      const [id = '', chosen] = model.split(':')
      const offers = listOf(entryOf(list, id), 'providers').filter(isObject)
      const named = offers.filter(({ provider }) => provider === chosen)
      const facts = (named.length ? named : offers).flatMap(({ supports_tools: can }) =>
        typeof can === 'boolean' ? can : [],
      )
      return facts.length ? facts.includes(true) : undefined
    },
  }),
}

/**
 * Asks the server of a model whether the model calls tools: for setting up and checking, never
 * during a call. Undefined if this kind of server does not say, the server cannot be asked, or a
 * proxy is in between. The key goes to the origin that it was given for.
 */
export async function asksForTools(
  config: ModelConfig,
  cli: Pick<Cli, 'context' | 'signal'>,
  key?: string,
): Promise<boolean | undefined> {
  const resolved = resolveModel(config, cli.context)
  const { row, baseUrl, proxy } = resolved
  const { model } = resolved.config
  const question = model === undefined ? undefined : questions[row.name]?.(model)
  if (!question || !baseUrl || proxy) return undefined
  const base = new URL(baseUrl.href)
  const apiKey = key ?? resolveApiKey(resolved, cli.context)
  const send = ({ path, body }: Pick<Question, 'path' | 'body'>): Promise<Response> =>
    fetch(
      path.startsWith('.')
        ? `${base.href.replace(/\/$/, '')}${path.slice(1)}`
        : new URL(path, base),
      {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // A key must not follow a redirect.
        redirect: 'error',
        signal: AbortSignal.any([cli.signal, AbortSignal.timeout(timeoutMs)]),
      },
    )
  try {
    const response = await send(question)
    const said = response.ok
      ? question.read(JSON.parse(await textOfResponse(response)))
      : await response.body?.cancel()
    if (!said || !question.confirm) return said ?? undefined
    const confirmed = await send(question.confirm)
    return !/jinja/i.test(await textOfResponse(confirmed)) || confirmed.ok
  } catch {
    cli.signal.throwIfAborted()
  }
  return undefined
}

/** The text of a response, which may not be endless. */
export async function textOfResponse(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxLength) throw new Error('the response is too large')
  }
  return text
}
