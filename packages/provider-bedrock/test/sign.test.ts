import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime'
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { describe, expect, test } from 'vitest'
import { bedrock, expectedAuthorization, reply, type Sent } from './support.js'

const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey }
const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3'

describe('signed requests', () => {
  test.each(['amazon.nova-micro-v1:0', arn])(
    'a request has the signature that AWS expects: %s',
    async (model) => {
      const { provider, sent } = bedrock(undefined, {
        model,
        credentials,
        headers: { 'X-Note': 'two  spaces' },
      })
      await provider.complete('Grüße, \ud83d!')
      const [request] = sent as [Sent]
      expect(request.url.pathname).toBe(`/model/${encodeURIComponent(model)}/converse`)
      expect(request.headers.get('authorization')).toContain(
        '/us-east-1/bedrock/aws4_request, SignedHeaders=accept;',
      )
      expect(request.headers.get('authorization')).toBe(
        expectedAuthorization(request, secretAccessKey),
      )
      expect(request.headers.get('x-amz-content-sha256')).toMatch(/^[0-9a-f]{64}$/)
      expect(request.body.messages[0].content).toEqual([{ text: 'Grüße, \ufffd!' }])
    },
  )

  test('the expected signature is the one of the official SDK too', async () => {
    let seen: Sent | undefined
    const client = new BedrockRuntimeClient({
      region: 'us-east-1',
      credentials,
      requestHandler: {
        handle: async ({ protocol, hostname, path, method, headers, body }: HttpRequest) => {
          const url = new URL(`${protocol}//${hostname}${path}`)
          seen = {
            url,
            method,
            headers: new Headers(headers),
            text: new TextDecoder().decode(body as Uint8Array),
            body: undefined,
          }
          const text = await reply().text()
          return {
            response: new HttpResponse({
              statusCode: 200,
              headers: {},
              body: new TextEncoder().encode(text),
            }),
          }
        },
      },
    })
    await client.send(
      new ConverseCommand({
        modelId: arn,
        messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      }),
    )
    expect(seen?.headers.get('authorization')).toBe(
      expectedAuthorization(seen as Sent, secretAccessKey),
    )
    const { provider, sent } = bedrock(undefined, { model: arn, credentials })
    await provider.complete('Hi')
    expect([sent[0]?.url.href, sent[0]?.body.messages]).toEqual([
      seen?.url.href,
      JSON.parse(seen?.text ?? '').messages,
    ])
  })

  test('each attempt asks the function again, and sends its session token', async () => {
    let calls = 0
    const { provider, sent } = bedrock(
      (_, index) => (index ? reply() : new Response('', { status: 503 })),
      {
        credentials: () => ({ ...credentials, sessionToken: `token-${++calls}` }),
      },
    )
    await provider.complete('Hi')
    expect(sent.map(({ headers }) => headers.get('x-amz-security-token'))).toEqual([
      'token-1',
      'token-2',
    ])
    for (const request of sent)
      expect(request.headers.get('authorization')).toBe(
        expectedAuthorization(request, secretAccessKey),
      )
  })

  test('keys of a function are kept out of errors', async () => {
    const { failure } = bedrock(
      ({ headers }) =>
        Response.json(
          { message: `${secretAccessKey} ${headers.get('x-amz-security-token')}` },
          { status: 403 },
        ),
      {
        credentials: () => ({ ...credentials, sessionToken: 'FwoGZXIvYXdzEXAMPLETOKEN' }),
      },
    )
    const { message } = await failure()
    expect(message).not.toContain(secretAccessKey)
    expect(message).not.toContain('FwoGZXIvYXdzEXAMPLETOKEN')
  })

  test('a function that fails is an error of authentication', async () => {
    const { failure, sent } = bedrock(undefined, {
      credentials: () => Promise.reject(new Error('the vault is closed')),
    })
    expect(await failure()).toMatchObject({
      code: 'auth',
      message: 'bedrock: credentials: the vault is closed',
    })
    expect(sent).toEqual([])
  })

  test('malformed keys are refused before a request', async () => {
    const { failure, sent } = bedrock(undefined, {
      credentials: () => ({ accessKeyId: 'a b', secretAccessKey: 'c' }),
    })
    expect(await failure()).toMatchObject({ code: 'config' })
    expect(sent).toEqual([])
    expect(() => bedrock(undefined, { credentials: { accessKeyId: 'AKID' } as never })).toThrow(
      'bedrock: credentials.secretAccessKey must be text of visible ASCII without spaces',
    )
  })

  test('a header that would replace the signature is refused', async () => {
    const { failure } = bedrock(undefined, {
      credentials,
      headers: { Authorization: 'Bearer other' },
    })
    expect(await failure()).toMatchObject({ code: 'config' })
  })
})

describe('the address', () => {
  const addressOf = async (config: Parameters<typeof bedrock>[1]): Promise<string> => {
    const { provider, sent } = bedrock(undefined, { model: 'm.x', ...config })
    await provider.complete('Hi')
    return sent[0]?.url.href ?? ''
  }

  test('the address is the one of the region, FIPS or not', async () => {
    expect(await addressOf({ region: 'eu-central-1' })).toBe(
      'https://bedrock-runtime.eu-central-1.amazonaws.com/model/m.x/converse',
    )
    const fips = 'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com'
    expect(await addressOf({ region: undefined, baseUrl: fips })).toBe(`${fips}/model/m.x/converse`)
  })

  test('the address may be a VPC endpoint, whose region signs', async () => {
    const baseUrl = 'https://vpce-1-2.bedrock-runtime.eu-west-1.vpce.amazonaws.com'
    const { provider, sent } = bedrock(undefined, { region: undefined, baseUrl, credentials })
    await provider.complete('Hi')
    expect(sent[0]?.headers.get('authorization')).toContain('/eu-west-1/bedrock/')
    expect(sent[0]?.url.origin).toBe(baseUrl)
  })

  test.each([
    [{ region: undefined }, 'region is missing'],
    [{ region: 'cn-north-1' }, 'has no known endpoint; give its address as baseUrl'],
    [{ region: 'evil.example/' }, 'has no known endpoint'],
    [
      { region: undefined, baseUrl: 'https://gateway.example', credentials },
      'a signature needs it',
    ],
    [{ credentials, apiKey: 'abc' }, 'not both'],
    [{ apiKey: undefined }, 'not neither'],
  ] as const)('a configuration is refused: %j', (config, message) => {
    expect(() => bedrock(undefined, config)).toThrow(message)
  })

  test('a model that is not an id is refused', async () => {
    const { failure } = bedrock(undefined, { model: 'two words' })
    expect(await failure()).toMatchObject({ code: 'config' })
  })
})
