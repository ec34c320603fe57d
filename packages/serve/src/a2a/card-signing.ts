import { AgentError, type CardSignature, type JsonValue } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import type { JWK } from 'jose'
import { type FieldShape, shapes } from './shapes.js'

/** JSON by RFC 8785: sorted keys, shortest numbers, no space. */
export function canonicalize(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonicalize).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalize(inner)}`).join(',')}}`
}

/** The text of a card that is signed: without `signatures` and without default values, by RFC 8785. */
export const signedText = (card: JsonObject): string => {
  const { signatures: _, ...rest } = card
  return canonicalize(withoutDefaults('AgentCard', rest as JsonValue))
}

function withoutDefaults(type: string, value: JsonValue): JsonValue {
  const fields = shapes.get(type)
  if (!fields || !isObject(value)) return value
  const kept = Object.entries(value).flatMap(([key, raw]) => {
    const inner = raw
    const field = fields.find(({ name }) => name === key)
    if (!field) return isDefault(inner) ? [] : [[key, inner] as const]
    const cleaned = cleanField(field, inner)
    const isKept = field.required || field.optional || field.oneof || !isDefault(cleaned) || isMessage(field)
    return isKept && cleaned !== null ? [[key, cleaned] as const] : []
  })
  return Object.fromEntries(kept)
}

const isMessage = ({ type, repeated, map }: FieldShape): boolean => !repeated && !map && shapes.has(type)

function cleanField({ type, repeated, map }: FieldShape, value: JsonValue): JsonValue {
  if (repeated && Array.isArray(value))
    return (value as readonly JsonValue[]).map((item) => withoutDefaults(type, item))
  if (map && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutDefaults(type, item)]))
  return withoutDefaults(type, value)
}

const isDefault = (value: JsonValue): boolean =>
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && !value.length) ||
  (isObject(value) && !Object.keys(value).length)

/** How a card is signed. */
export interface CardSigningKey {
  /** The private key. */
  readonly key: CryptoKey | JWK
  /** Algorithm of JOSE, for example `ES256`. */
  readonly algorithm: string
  /** Names the key, so that a verifier finds the public key. */
  readonly keyId: string
  /** Where the public key set is. */
  readonly keySetUrl?: string
}

/** The card with one more signature. The card is given and returned in A2A's form. */
export async function signCard(
  card: JsonObject,
  { key, algorithm, keyId, keySetUrl }: CardSigningKey,
): Promise<JsonObject> {
  const header = { alg: algorithm, typ: 'JOSE', kid: keyId, ...(keySetUrl !== undefined && { jku: keySetUrl }) }
  const payload = new TextEncoder().encode(signedText(card))
  const { CompactSign } = await import('jose')
  const token = await new CompactSign(payload).setProtectedHeader(header).sign(key)
  const [protectedHeader = '', , signature = ''] = token.split('.')
  const earlier = Array.isArray(card['signatures']) ? (card['signatures'] as readonly JsonValue[]) : []
  return { ...card, signatures: [...earlier, { protected: protectedHeader, signature }] }
}

/** How signatures are verified. */
export interface CardVerification {
  /** The keys that are trusted. A `jku` of a card is never fetched. */
  readonly keys: readonly JWK[]
  /** Algorithms that are accepted. Default: ES256, ES384, ES512, RS256, PS256, EdDSA. */
  readonly algorithms?: readonly string[]
}

const strongAlgorithms: readonly string[] = ['ES256', 'ES384', 'ES512', 'RS256', 'PS256', 'EdDSA', 'Ed25519']

/**
 * Checks that a trusted key made one of the signatures of a card, which is given as it was received.
 * @returns the id of the key
 * @throws {AgentError} `unauthenticated` — there is no signature, or none is valid.
 */
export async function verifyCard(card: JsonObject, { keys, algorithms }: CardVerification): Promise<string> {
  const { base64url, compactVerify, createLocalJWKSet } = await import('jose')
  const payload = base64url.encode(signedText(card))
  const trusted = createLocalJWKSet({ keys: [...keys] })
  for (const signature of signaturesOf(card)) {
    try {
      const token = `${signature.protected}.${payload}.${signature.signature}`
      const { protectedHeader } = await compactVerify(token, trusted, {
        algorithms: [...(algorithms ?? strongAlgorithms)],
      })
      return protectedHeader.kid ?? ''
    } catch {
      // The next signature may be by a trusted key.
    }
  }
  throw new AgentError(
    'unauthenticated',
    'The card has no valid signature by a trusted key; do not use it, or add the key',
  )
}

const signaturesOf = (card: JsonObject): readonly CardSignature[] =>
  (Array.isArray(card['signatures']) ? (card['signatures'] as readonly unknown[]) : []).filter(
    (signature): signature is CardSignature =>
      isObject(signature) && typeof signature['protected'] === 'string' && typeof signature['signature'] === 'string',
  )
