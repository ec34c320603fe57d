import { expect, test } from 'vitest'
import { toGoogleError } from '../src/error.js'

const status = (
  httpStatus: number,
  error: object | string,
  wrap = (body: object): unknown => body,
) => {
  const body = typeof error === 'string' ? undefined : wrap({ error })
  return toGoogleError({
    status: httpStatus,
    headers: new Headers(),
    body,
    text: typeof error === 'string' ? error : JSON.stringify(body),
    inBand: false,
  })
}
const detail = (type: string, fields: object) => ({
  '@type': `type.googleapis.com/google.rpc.${type}`,
  ...fields,
})

test.each([
  [400, { status: 'INVALID_ARGUMENT', message: 'Bad field' }, 'invalid-request'],
  [
    400,
    {
      status: 'constructor',
      message: 'x',
      details: [detail('ErrorInfo', { reason: 'constructor' })],
    },
    'invalid-request',
  ],
  [400, 'API key not valid. Please pass a valid API key.', 'auth'],
  [
    400,
    { status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid API key.' },
    'auth',
  ],
  [
    400,
    {
      status: 'INVALID_ARGUMENT',
      message: 'x',
      details: [detail('ErrorInfo', { reason: 'API_KEY_INVALID' })],
    },
    'auth',
  ],
  [
    400,
    {
      status: 'INVALID_ARGUMENT',
      message:
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
    'context-length',
  ],
  [
    400,
    {
      status: 'INVALID_ARGUMENT',
      message: 'The input token count is 40000 but the model supports up to 32768.',
    },
    'context-length',
  ],
  [
    400,
    { status: 'FAILED_PRECONDITION', message: 'User location is not supported for the API use.' },
    'permission',
  ],
  [400, { status: 'FAILED_PRECONDITION', message: 'x' }, 'invalid-request'],
  [401, { status: 'UNAUTHENTICATED', message: 'x' }, 'auth'],
  [403, { status: 'PERMISSION_DENIED', message: 'x' }, 'permission'],
  [
    403,
    {
      status: 'PERMISSION_DENIED',
      message: "Method doesn't allow unregistered callers (callers without established identity).",
    },
    'auth',
  ],
  [404, { status: 'NOT_FOUND', message: 'x' }, 'not-found'],
  [429, { status: 'RESOURCE_EXHAUSTED', message: 'x' }, 'rate-limit'],
  [
    429,
    {
      status: 'RESOURCE_EXHAUSTED',
      message: 'x',
      details: [
        detail('QuotaFailure', {
          violations: [
            { quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier', quotaValue: '10' },
          ],
        }),
      ],
    },
    'rate-limit',
  ],
  [
    429,
    {
      status: 'RESOURCE_EXHAUSTED',
      message: 'x',
      details: [
        detail('QuotaFailure', {
          violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
        }),
      ],
    },
    'quota-exhausted',
  ],
  [
    429,
    {
      status: 'RESOURCE_EXHAUSTED',
      message: 'x',
      details: [detail('QuotaFailure', { violations: [{ quotaId: 'A', quotaValue: '0' }] })],
    },
    'quota-exhausted',
  ],
  [499, { status: 'CANCELLED', message: 'x' }, 'server'],
  [500, { status: 'INTERNAL', message: 'x' }, 'server'],
  [503, { status: 'UNAVAILABLE', message: 'The model is overloaded.' }, 'overloaded'],
  [504, { status: 'DEADLINE_EXCEEDED', message: 'x' }, 'timeout'],
  [502, '<html>bad gateway</html>', 'server'],
  [400, { message: 5, status: 6, details: [null] }, 'invalid-request'],
])('%i %j → %s', (httpStatus, error, code) => {
  expect(status(httpStatus, error).code).toBe(code)
})

test('an error has its wait, type and message, alone or in an array', () => {
  const error = {
    status: 'RESOURCE_EXHAUSTED',
    message: 'Slow down',
    details: [detail('Help', {}), detail('RetryInfo', { retryDelay: '34.0748s' })],
  }
  for (const wrap of [(body: object) => body, (body: object) => [body]]) {
    expect(status(429, error, wrap)).toMatchObject({
      message: 'google: 429 rate-limit: Slow down',
      type: 'RESOURCE_EXHAUSTED',
      retryAfterMs: 34_075,
      status: 429,
    })
  }
})
