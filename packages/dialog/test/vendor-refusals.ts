import { isObject } from '@modelport/core'

type Body = Readonly<Record<string, unknown>>
/** What a server says to a request: the text of its reply, or an error in the vendor's own form. */
type Answer = string | { readonly status: number; readonly error: unknown }

/** A server behind `fetch` that answers each request, and remembers its body. */
export function answering(
  answer: (body: Body) => Answer,
  toEvents: (text: string, body: Body) => readonly object[],
) {
  const bodies: Body[] = []
  const fetch = (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as Body
    bodies.push(body)
    const said = answer(body)
    if (typeof said !== 'string')
      return Promise.resolve(Response.json({ error: said.error }, { status: said.status }))
    const events = toEvents(said, body).map((event) => {
      const { type } = event as { readonly type?: string }
      return `${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
    })
    return Promise.resolve(
      new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } }),
    )
  }
  return { bodies, fetch }
}

/** One token with its probability. */
const toLogprob = (token: string): object => {
  const one = { token, logprob: Math.log(0.9), bytes: null }
  return { ...one, top_logprobs: [one, { token: 'no', logprob: Math.log(0.1), bytes: null }] }
}

/** A reply of OpenAI's Responses API, word by word. */
export function responsesEvents(text: string, { top_logprobs: top }: Body): readonly object[] {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' }
  const tokens = top === undefined ? [] : (text.match(/\S+|\s+/g) ?? []).map(toLogprob)
  const part = { type: 'output_text', text, annotations: [], logprobs: tokens }
  const usage = { input_tokens: 10, output_tokens: 90, total_tokens: 100 }
  const item = { ...message, content: [part] }
  return [
    {
      type: 'response.created',
      response: { id: 'resp_1', model: 'gpt-4o', status: 'in_progress' },
    },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message, status: 'in_progress', content: [] },
    },
    {
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: text,
      logprobs: tokens,
    },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { id: 'resp_1', status: 'completed', output: [item], usage },
    },
  ]
}

/**
 * What OpenAI says to fewer than 16 tokens, and to a temperature or probabilities at a model that
 * reasons.
 */
export function refuseAsOpenAI(body: Body): Answer | undefined {
  const refuse = (param: string, code: string, message: string): Answer => ({
    status: 400,
    error: { message, type: 'invalid_request_error', param, code },
  })
  const most = body['max_output_tokens']
  if (typeof most === 'number' && most < 16)
    return refuse(
      'max_output_tokens',
      'integer_below_min_value',
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
    )
  for (const name of ['temperature', 'top_logprobs'])
    if (String(body['model']).startsWith('o') && body[name] !== undefined)
      return refuse(
        name,
        'unsupported_parameter',
        `Unsupported parameter: '${name}' is not supported with this model.`,
      )
  return undefined
}

/** A reply of Anthropic's Messages API. */
export const messagesEvents = (text: string): readonly object[] => [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
]

/** What Anthropic says to a schema with an object that is not closed. */
export function refuseAsAnthropic(body: Body): Answer | undefined {
  const format = isObject(body['output_config'])
    ? body['output_config']['format']
    : body['output_format']
  const isOpen = JSON.stringify(format ?? {}, (_key, value: unknown) =>
    isObject(value) && value['type'] === 'object' && value['additionalProperties'] !== false
      ? 'open object'
      : value,
  ).includes('open object')
  const message =
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
  return isOpen ? { status: 400, error: { type: 'invalid_request_error', message } } : undefined
}

/** A reply of a Chat Completions server. */
export const chatEvents = (text: string, body: Body): readonly object[] => [
  {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content: text },
        finish_reason: 'stop',
        logprobs: body['logprobs'] === true ? { content: [toLogprob(text)] } : null,
      },
    ],
  },
]
