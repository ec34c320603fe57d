import { describe, expect, test } from 'vitest'
import {
  chatProvider,
  chunk,
  done,
  failure,
  generate,
  json,
  once,
  stream,
  whole,
} from './support.js'

const ask = (status: number, body: unknown) =>
  failure(chatProvider(() => json(body, status)).complete('Hello', once))
const error = (
  message: string,
  code: unknown = null,
  type: unknown = 'invalid_request_error',
): object => ({
  error: { message, type, param: null, code },
})

describe('a status with a body', () => {
  test.each([
    [401, error('no', 'invalid_api_key'), 'auth'],
    [400, error('Incorrect API key provided: x'), 'auth'],
    [
      400,
      [
        {
          error: {
            code: 400,
            message: 'API key not valid. Please pass a valid API key.',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      'auth',
    ],
    [403, error('no'), 'permission'],
    [404, error('The model `x` does not exist', 'model_not_found'), 'not-found'],
    [400, error('Model Not Exist'), 'not-found'],
    [400, error('unsupported value', 'unsupported_value'), 'invalid-request'],
    [400, error('Too long', 'context_length_exceeded'), 'context-length'],
    [
      400,
      error(
        '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
        'invalid_parameter_error',
      ),
      'context-length',
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: 'request (27011 tokens) exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'context-length',
    ],
    [
      400,
      error(
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
      ),
      'context-length',
    ],
    [413, error('Please reduce the length of the messages or completion.'), 'context-length'],
    [
      400,
      {
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length',
      },
      'context-length',
    ],
    [
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      'context-length',
    ],
    [422, { error: 'Input is too long', error_type: 'validation' }, 'context-length'],
    [422, 'Input is too long', 'context-length'],
    [400, { errors: [{ message: 'model x does not exist' }] }, 'not-found'],
    [
      400,
      { object: 'error', message: { detail: [{ msg: 'Prompt is too long', loc: ['body'] }] } },
      'context-length',
    ],
    [
      422,
      { detail: [{ loc: ['body', 'messages'], msg: 'field required', type: 'missing' }] },
      'invalid-request',
    ],
    [
      429,
      error(
        'Slow down: tokens per minute, maximum context length',
        'rate_limit_exceeded',
        'tokens',
      ),
      'rate-limit',
    ],
    [
      429,
      error('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
      'quota-exhausted',
    ],
    [
      429,
      error('Your account is suspended', null, 'exceeded_current_quota_error'),
      'quota-exhausted',
    ],
    [429, error('engine busy', null, 'engine_overloaded_error'), 'overloaded'],
    [
      429,
      {
        error: {
          code: '1113',
          message: 'Insufficient balance or no resource package. Please recharge.',
        },
      },
      'quota-exhausted',
    ],
    [
      429,
      {
        code: 'Some resource has been exhausted',
        error:
          'Your team x has either used all available credits or reached its monthly spending limit.',
      },
      'quota-exhausted',
    ],
    [
      429,
      { code: 'Some resource has been exhausted', error: 'Too many requests for team x.' },
      'rate-limit',
    ],
    [
      429,
      { error: { code: '1308', message: 'Usage limit reached for 5 hour.' } },
      'quota-exhausted',
    ],
    [
      400,
      {
        error: {
          code: '1301',
          message:
            'System detected potentially unsafe or sensitive content in input or generation.',
        },
      },
      'content-filter',
    ],
    [400, { error: { code: '1261', message: 'Prompt exceeds max length' } }, 'context-length'],
    [
      403,
      {
        error: {
          code: 403,
          message: 'flagged',
          metadata: { error_type: 'content_policy_violation' },
        },
      },
      'content-filter',
    ],
    [
      502,
      { error: { code: 502, message: 'busy', metadata: { error_type: 'provider_overloaded' } } },
      'overloaded',
    ],
    [
      400,
      {
        error: {
          code: 'Arrearage',
          type: 'Arrearage',
          message: 'Access denied, please make sure your account is in good standing.',
        },
      },
      'quota-exhausted',
    ],
    [
      400,
      { code: 'DataInspectionFailed', message: 'Input data may contain inappropriate content.' },
      'content-filter',
    ],
    [
      402,
      error('Insufficient Balance', 'invalid_request_error', 'unknown_error'),
      'quota-exhausted',
    ],
    [
      400,
      {
        error: {
          message: 'filtered',
          code: 'content_filter',
          innererror: { code: 'ResponsibleAIPolicyViolation' },
        },
      },
      'content-filter',
    ],
    [500, error('The server had an error', null, 'server_error'), 'server'],
    [503, error('busy', null, 'server_error'), 'overloaded'],
    [401, { base_resp: { status_code: 1004, status_msg: 'login fail' } }, 'auth'],
    [
      429,
      { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      'quota-exhausted',
    ],
    [502, '<html>Bad Gateway</html>', 'server'],
    [418, '', 'invalid-request'],
  ] as const)('%i %j', async (status, body, code) => {
    expect(await ask(status, body)).toMatchObject({ code, status, provider: 'test' })
  })

  test('the message is the one of the server, and of the server behind it', async () => {
    expect((await ask(401, { detail: 'Invalid API Key' })).message).toBe(
      'test: 401 auth: Invalid API Key',
    )
    expect(
      (
        await ask(429, {
          error: {
            message: 'Provider returned error',
            code: 429,
            metadata: { raw: 'busy upstream', provider_name: 'X' },
          },
        })
      ).message,
    ).toBe('test: 429 rate-limit: Provider returned error: busy upstream')
    expect((await ask(500, { error: 'plain' })).message).toBe('test: 500 server: plain')
  })

  test("the type is the vendor's word, not its number", async () => {
    expect((await ask(400, error('x', 'some_code', 'some_type'))).type).toBe('some_code')
    expect((await ask(400, error('x', 400, 'some_type'))).type).toBe('some_type')
  })
})

describe('inside a reply', () => {
  const server = { message: 'The server had an error', type: 'server_error', code: null }

  test.each([
    ['an object', { error: server }, { code: 'server', status: 200, type: 'server_error' }],
    ['a text', { error: 'out of memory' }, { code: 'server', status: 200 }],
    [
      'with a status as its code',
      { error: { message: 'busy', code: 429 } },
      { code: 'rate-limit', status: 429 },
    ],
    [
      'with a status in words',
      {
        error: {
          message: 'No tool called',
          type: 'invalid_request_error',
          code: 'tool_use_failed',
          status_code: 400,
        },
      },
      { code: 'invalid-request', status: 400, type: 'tool_use_failed' },
    ],
    [
      'with an HTTP status',
      { error: { message: 'busy', http_status_code: 429 } },
      { code: 'rate-limit', status: 429 },
    ],
    [
      'too long',
      { error: { message: 'Context length exceeded', code: 'CONTEXT_LENGTH_EXCEEDED' } },
      { code: 'context-length' },
    ],
    ['of a type', { error: { message: 'no', type: 'authentication_error' } }, { code: 'auth' }],
    ['in x_groq', { x_groq: { error: 'overloaded' } }, { code: 'server' }],
    [
      'as an error object',
      { object: 'error', message: 'boom', code: 500 },
      { code: 'server', status: 500 },
    ],
    [
      'with names of its own',
      { error_type: 'context_length_exceeded', error_message: 'boom', choices: null },
      { code: 'context-length', status: 200, type: 'context_length_exceeded' },
    ],
    [
      'with nothing around it',
      { message: 'boom', code: 500, choices: null },
      { code: 'server', status: 500 },
    ],
    [
      'with its status as text',
      {
        type: 'error',
        error: { type: 'overloaded_error', message: 'busy (2064)', http_code: '529' },
      },
      { code: 'overloaded', status: 529 },
    ],
    [
      'of a filter',
      {
        type: 'error',
        error: {
          type: 'unprocessable_entity_error',
          message: 'output new_sensitive (1027)',
          http_code: '422',
        },
      },
      { code: 'content-filter', status: 422 },
    ],
  ])('an error inside a reply is read from %s', async (_, body, wanted) => {
    expect(await failure(generate(body))).toMatchObject(wanted)
    expect(await failure(stream(body))).toMatchObject(wanted)
    const late = await failure(
      stream(chunk({ content: 'Hi' }), { ...chunk({ content: '' }), ...body }, done),
    )
    expect(late).toMatchObject({ ...wanted, partial: { text: 'Hi' } })
  })

  test.each([
    [1000, 'unknown error', 'server'],
    [1001, 'request timeout', 'timeout'],
    [1002, 'rate limit', 'rate-limit'],
    [1004, 'not authorized', 'auth'],
    [1008, 'insufficient balance', 'quota-exhausted'],
    [1027, 'stopped', 'content-filter'],
    [1039, 'token limit', 'rate-limit'],
    [2013, 'invalid params', 'invalid-request'],
    [2013, 'invalid params, context window exceeds limit', 'context-length'],
    ['2056', 'usage limit exceeded', 'quota-exhausted'],
  ])('an error in base_resp is read: %s %s', async (status_code, status_msg, code) => {
    const body = { choices: null, base_resp: { status_code, status_msg } }
    const wanted = {
      code,
      status: 200,
      type: `base_resp_${status_code}`,
      message: `test: 200 ${code}: ${status_msg}`,
    }
    expect(await failure(generate(body))).toMatchObject(wanted)
    expect(await failure(stream(chunk({ content: 'Hi' }), body, done))).toMatchObject({
      ...wanted,
      partial: { text: 'Hi' },
    })
    expect(
      await failure(
        stream({
          ...chunk({ content: 'Hi' }, { finish_reason: 'stop' }),
          ...body,
          choices: [{ delta: { content: 'Hi' } }],
        }),
      ),
    ).toMatchObject({ code, partial: { text: 'Hi' } })
    for (const base_resp of [{ status_code: 0, status_msg: '' }, {}, 'ok', null])
      expect((await generate({ ...whole({ content: 'Hi' }), base_resp })).text).toBe('Hi')
  })

  test('an error is read next to choices and usage, or in the choice', async () => {
    const body = whole(
      { content: 'Hi' },
      { finish_reason: 'error', error: { code: 502, message: 'upstream' } },
      { usage: { prompt_tokens: 1, completion_tokens: 1 } },
    )
    expect(await failure(generate(body))).toMatchObject({
      code: 'server',
      status: 502,
      partial: { text: 'Hi', usage: { inputTokens: 1 } },
    })
  })

  test('an error is read from an event of its own, JSON or not', async () => {
    expect(
      await failure(
        stream(
          chunk({ content: 'Hi' }),
          `event: error\ndata: ${JSON.stringify({ error: server })}`,
        ),
      ),
    ).toMatchObject({ code: 'server', partial: { text: 'Hi' } })
    const plain = await failure(
      stream(chunk({ content: 'Hi' }), 'event: error\ndata: model crashed'),
    )
    expect(plain.message).toContain('model crashed')
  })

  test('an error of null is not an error', async () => {
    expect((await generate({ ...whole({ content: 'Hi' }), error: null })).text).toBe('Hi')
  })
})
