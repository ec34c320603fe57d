import { describe, expect, test } from 'vitest'
import { createAnthropic } from '../src/index.js'

describe('failed responses', () => {
  const answered = async (status: number, body: unknown): Promise<unknown> => {
    const fetch = async (): Promise<Response> => Response.json(body, { status })
    return createAnthropic({ model: 'm', apiKey: 'sk-ant-test-0123456789', fetch })
      .complete('Hi', { retry: { attempts: 1 } })
      .catch((thrown: unknown) => thrown)
  }
  const failing = (status: number, error: unknown): Promise<unknown> =>
    answered(status, { type: 'error', error, request_id: 'req_body' })
  test.each([
    [
      400,
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'context-length',
    ],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 1 + 2 > 3',
      'context-length',
    ],
    [
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API.',
      'quota-exhausted',
    ],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content-filter'],
    [400, 'invalid_request_error', 'messages: Field required', 'invalid-request'],
    [
      400,
      'exceed_context_size_error',
      'the request exceeds the available context size',
      'context-length',
    ],
    [400, 'rate_limit_error', 'slow down', 'rate-limit'],
    [400, 'api_error', 'bad value', 'invalid-request'],
    [402, 'billing_error', 'pay', 'quota-exhausted'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'invalid-request'],
    [504, 'timeout_error', 'too slow', 'server'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('%i %s: %s', async (status, type, message, code) => {
    expect(await failing(status, { type, message })).toMatchObject({
      code,
      status,
      type,
      requestId: 'req_body',
    })
  })

  test('the text of an error is found in any field', async () => {
    expect(await answered(400, { detail: 'prompt is too long' })).toMatchObject({
      code: 'context-length',
      message: expect.stringContaining('prompt is too long') as string,
    })
  })

  test('a spend limit is not a rate limit', async () => {
    expect(
      await failing(429, {
        type: 'rate_limit_error',
        message: 'no',
        details: { error_code: 'enforced_spend_limit_reached' },
      }),
    ).toMatchObject({ code: 'quota-exhausted', retryable: false })
  })
})
