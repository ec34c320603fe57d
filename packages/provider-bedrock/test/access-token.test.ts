import { describe, expect, test } from 'vitest'
import { createBedrockAccessToken } from '../src/index.js'
import { expectedQuerySignature } from './support.js'

const region = 'eu-west-1'
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey }

/** The address that a key is made of, and the text after it. */
function read(key: string): { readonly url: URL; readonly text: string } {
  const [, encoded = ''] = /^bedrock-api-key-([A-Za-z0-9+/]+={0,2})$/.exec(key) ?? []
  const text = atob(encoded)
  return { url: new URL(`https://${text.replace(/&Version=1$/, '')}`), text }
}

describe('short-term keys of Bedrock', () => {
  test('a key is the presigned address that AWS expects, and lasts 15 minutes', async () => {
    const { url, text } = read(await createBedrockAccessToken({ region, credentials })())
    // AWS prints this head of every such key.
    expect(text).toMatch(
      /^bedrock\.amazonaws\.com\/\?Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F/,
    )
    expect(text).toMatch(/&Version=1$/)
    expect(url.searchParams.get('X-Amz-Credential')).toMatch(
      /^AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request$/,
    )
    expect(url.searchParams.get('X-Amz-Expires')).toBe('900')
    expect(url.searchParams.get('X-Amz-Signature')).toBe(
      expectedQuerySignature(url, secretAccessKey),
    )
    expect(text).not.toContain(secretAccessKey)
  })

  test('each key asks the function again, and has its session token', async () => {
    let calls = 0
    const token = createBedrockAccessToken({
      region,
      credentials: () => ({ ...credentials, sessionToken: `session/+${++calls}==` }),
    })
    for (const wanted of ['session/+1==', 'session/+2==']) {
      const { url } = read(await token())
      expect(url.searchParams.get('X-Amz-Security-Token')).toBe(wanted)
      expect(url.searchParams.get('X-Amz-Signature')).toBe(
        expectedQuerySignature(url, secretAccessKey),
      )
    }
  })

  test('a source that fails is an error of authentication', async () => {
    const fails = () => Promise.reject(new Error('the vault is closed'))
    await expect(createBedrockAccessToken({ region, credentials: fails })()).rejects.toMatchObject({
      code: 'auth',
      message: 'bedrock: credentials: the vault is closed',
    })
  })

  test.each([
    [{ region }, 'give apiKey or credentials'],
    [{ region, credentials: { accessKeyId: 'AKID' } }, 'credentials.secretAccessKey must be text'],
    [{ credentials }, 'region is missing'],
    [{ region, credentials, regions: 2 }, 'unknown setting "regions"'],
    [undefined, 'pass a configuration object'],
  ])('%j is refused before a key is made', (config, message) => {
    expect(() => createBedrockAccessToken(config as never)).toThrow(message)
  })
})
