import { createCard } from '@modelport/agent'
import { toA2aCard } from '@modelport/serve'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { canonicalize, signCard, signedText, verifyCard } from '../../src/a2a/card-signing.js'

const card = toA2aCard(createCard({ name: 'a', description: 'b', url: 'https://example.com/' }))

describe('the signature of a card', () => {
  it('the signature of a card is verified with the public key, and names it', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const key = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256' }
    const signed = await signCard(card, { key: privateKey, algorithm: 'ES256', keyId: 'key-1' })
    expect(await verifyCard(signed, { keys: [key] })).toBe('key-1')
    const reordered = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(signed).reverse()))) as typeof card
    expect(await verifyCard(reordered, { keys: [key] })).toBe('key-1')
  })

  it('the signature of a card is refused when the card was changed, the key is another, or there is none', async () => {
    const [mine, other] = [
      await generateKeyPair('ES256', { extractable: true }),
      await generateKeyPair('ES256', { extractable: true }),
    ]
    const signed = await signCard(card, { key: mine.privateKey, algorithm: 'ES256', keyId: 'k' })
    const keyOf = async (pair: typeof mine) => ({ ...(await exportJWK(pair.publicKey)), kid: 'k' })
    await expect(verifyCard({ ...signed, name: 'x' }, { keys: [await keyOf(mine)] })).rejects.toThrow(
      'no valid signature',
    )
    await expect(verifyCard(signed, { keys: [await keyOf(other)] })).rejects.toThrow('no valid signature')
    await expect(verifyCard(card, { keys: [await keyOf(mine)] })).rejects.toThrow('no valid signature')
  })

  it('the signature of a card has the algorithm, the type and the key id in its protected header', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const keySetUrl = 'https://example.com/keys.json'
    const { signatures } = await signCard(card, { key: privateKey, algorithm: 'ES256', keyId: 'key-1', keySetUrl })
    const [signature] = signatures as { protected: string }[]
    const header: unknown = JSON.parse(Buffer.from(signature?.protected ?? '', 'base64url').toString())
    expect(header).toEqual({ alg: 'ES256', typ: 'JOSE', kid: 'key-1', jku: keySetUrl })
  })

  it('the signature of a card covers the text of the specification: defaults removed, required and optional fields kept', () => {
    const fragment = {
      name: 'Example Agent',
      description: '',
      capabilities: { streaming: false, pushNotifications: false, extensions: [] },
      skills: [],
      signatures: [{ protected: 'x', signature: 'y' }],
    }
    expect(signedText(fragment)).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}',
    )
  })

  it('the signature of a card is over JSON by RFC 8785', () => {
    expect(canonicalize({ b: [1e21, -0, 0.5], a: '\u20ac\n', '\u0080': null })).toBe(
      '{"a":"€\\n","b":[1e+21,0,0.5],"\u0080":null}',
    )
  })
})
