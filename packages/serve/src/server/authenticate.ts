import { type AgentCard, AgentError, type SecurityScheme } from '@modelport/agent'
import { configError, isObject } from '@modelport/core'
import { checkSettings, isLoopback } from '@modelport/core/settings'
import { toBase64 } from '@modelport/core/text'
import { checkPrincipal, type Principal } from '@modelport/runtime'
import type { JWK, JWTVerifyGetKey } from 'jose'

/**
 * Who may call, and how they prove it. Secrets are compared in constant time and never stored as
 * they are. The names of `apiKey`, `bearer` and `basic` are the owner's own: one name is one
 * principal, in whichever row. `local`,
 * `anonymous`, `operator` and `webhook` are reserved.
 */
export type Authentication =
  | {
      readonly type: 'apiKey'
      /** Header that holds the key. Default `x-api-key`. */
      readonly header?: string | undefined
      /** The valid keys, and whom each one proves. */
      readonly keys: readonly { readonly key: string; readonly principal: string }[]
    }
  | {
      readonly type: 'bearer'
      /** The valid tokens, and whom each one proves. */
      readonly tokens: readonly { readonly token: string; readonly principal: string }[]
    }
  | {
      readonly type: 'basic'
      /** The valid users. A user name has no colon. Default of `principal`: the user name. */
      readonly users: readonly {
        readonly username: string
        readonly password: string
        readonly principal?: string
      }[]
    }
  | {
      readonly type: 'jwt'
      /**
       * Public keys, or the `https:` URL of a key set, which is fetched when a token needs it.
       * The principal is `iss` and `sub`, a text: the same `sub` of another issuer is somebody
       * else. `exp` is required.
       */
      readonly keys: readonly JWK[] | URL
      /** The claim `iss` that a token must have. */
      readonly issuer: string
      /** The claim `aud` that a token must have. */
      readonly audience: string
      /** Algorithms of JOSE that are accepted, for example `ES256`; never `none`. */
      readonly algorithms: readonly string[]
    }
  | {
      readonly type: 'custom'
      /** How callers authenticate, for the card. */
      readonly scheme: SecurityScheme
      /**
       * Gives the principal of a request, or `undefined` if the request does not prove one. Name
       * the issuer, unless this program itself gave the name.
       */
      authenticate(request: Request): Principal | undefined | Promise<Principal | undefined>
    }

/** Finds the principal of a request. */
export interface Authenticator {
  /** The schemes for the card. */
  readonly card: Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>
  /** `WWW-Authenticate` of a refusal. */
  readonly challenge: string
  /** Gives the principal of a request, or `undefined` if the request does not prove one. */
  readonly authenticate: (request: Request) => Promise<Principal | undefined>
}

type Check = (request: Request) => Principal | undefined | Promise<Principal | undefined>

/** A secret, and whom it proves. */
type NamedSecret = readonly [secret: string, principal: string]

/**
 * Finds whom a secret proves. Digests are compared, so that a comparison takes the same time for
 * every guess.
 */
function secretFinder(
  secrets: readonly NamedSecret[],
): (secret: string) => Promise<Principal | undefined> {
  const entries = Promise.all(
    secrets.map(async ([secret, subject]) => ({
      digest: await sha256(secret),
      principal: { subject },
    })),
  )
  entries.catch(() => undefined)
  return async (secret) => {
    const digest = await sha256(secret)
    let found: Principal | undefined
    // Every entry is compared, whether or not one was found.
    for (const entry of await entries) if (isEqual(entry.digest, digest)) found = entry.principal
    return found
  }
}

const sha256 = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}

const credentialsOf = (request: Request, scheme: string): string | undefined => {
  const [, found, credentials] =
    /^(\S+) +(.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  return found?.toLowerCase() === scheme ? credentials?.trim() : undefined
}

interface Row {
  readonly scheme: SecurityScheme
  readonly challenge: string
  readonly check: Check
}

/**
 * A row of secrets.
 * @param given the secret of a request
 * @param secrets the valid ones, and whom each one proves
 */
function secretScheme(
  row: Omit<Row, 'check'>,
  given: (request: Request) => string | undefined,
  secrets: readonly NamedSecret[],
): Row {
  if (!secrets.flat().every((text: unknown) => typeof text === 'string' && text))
    throw configError('authentication: a principal or secret is empty or not a text; set it')
  for (const [, subject] of secrets) checkPrincipal('authentication', { subject })
  const find = secretFinder(secrets)
  const check: Check = (request) => {
    const secret = given(request)
    return secret ? find(secret) : undefined
  }
  return { ...row, check }
}

type Fields = {
  readonly [T in Authentication['type']]: readonly (keyof Extract<Authentication, { type: T }>)[]
}

const fields: Fields = {
  apiKey: ['type', 'keys', 'header'],
  bearer: ['type', 'tokens'],
  basic: ['type', 'users'],
  jwt: ['type', 'keys', 'issuer', 'audience', 'algorithms'],
  custom: ['type', 'scheme', 'authenticate'],
}

/**
 * Refuses a row that no request could satisfy.
 * @throws {LlmError} `config`; {TypeError} a field is unknown
 */
function checkRow(row: Authentication, index: number): void {
  const { type } = row
  const where = `authentication of type ${type}`
  const types = Object.keys(fields)
  if (!types.includes(type))
    throw configError(
      `authentication[${index}].type is ${JSON.stringify(type)}; it must be one of ${types.join(', ')}`,
    )
  checkSettings(where, row, fields[type])
  for (const name of fields[type]) {
    const value: unknown = row[name as keyof Authentication]
    const isList = /^(keys|tokens|users|algorithms)$/.test(name) && !(value instanceof URL)
    if (name !== 'header' && (isList ? !Array.isArray(value) || !value.length : !value))
      throw configError(`${where} needs ${name}${isList ? ', a list with entries' : ''}; set it`)
  }
}

function toRow(row: Authentication): Row {
  switch (row.type) {
    case 'apiKey': {
      const { header = 'x-api-key', keys } = row
      return secretScheme(
        {
          scheme: { type: 'apiKey', in: 'header', name: header },
          challenge: `ApiKey header="${header}"`,
        },
        (request) => request.headers.get(header) ?? credentialsOf(request, 'apikey'),
        keys.map(({ key, principal }) => [key, principal]),
      )
    }
    case 'bearer':
      return secretScheme(
        { scheme: { type: 'http', scheme: 'bearer' }, challenge: 'Bearer' },
        (request) => credentialsOf(request, 'bearer'),
        row.tokens.map(({ token, principal }) => [token, principal]),
      )
    case 'basic':
      // The header joins name and password with a colon: `a:b` with `c` would be `a` with `b:c`.
      if (row.users.some(({ username }: { username?: unknown }) => String(username).includes(':')))
        throw configError(
          'authentication of type basic: a username has a colon, which ends it; choose one without',
        )
      return secretScheme(
        {
          scheme: { type: 'http', scheme: 'basic' },
          challenge: 'Basic realm="agent", charset="UTF-8"',
        },
        (request) => credentialsOf(request, 'basic'),
        row.users.map(({ username, password, principal = username }) => [
          username && password && toBase64(new TextEncoder().encode(`${username}:${password}`)),
          principal,
        ]),
      )
    case 'jwt':
      return jwtScheme(row)
    case 'custom':
      return {
        scheme: row.scheme,
        challenge: row.scheme.type,
        check: async (request) => {
          try {
            // Untyped code may return anything: a bare name says nothing of its issuer.
            const found: unknown = await row.authenticate(request)
            return isNobody(found) ? undefined : checkPrincipal('authenticate', found)
          } catch (cause) {
            // A mistake of the server, which no caller is shown.
            throw new AgentError('internal', 'The request could not be authenticated', { cause })
          }
        },
      }
  }
}

const isNobody = (found: unknown): boolean => found === undefined || found === null || found === ''

function jwtScheme({
  keys,
  issuer,
  audience,
  algorithms,
}: Extract<Authentication, { type: 'jwt' }>): Row {
  if (algorithms.includes('none'))
    throw configError('authentication of type jwt: the algorithm "none" is not allowed')
  if (keys instanceof URL && keys.protocol !== 'https:' && !isLoopback(keys.hostname))
    throw configError(
      `authentication of type jwt: the key set at ${keys.host} must have an https: URL, or be on this machine`,
    )
  if (!(keys instanceof URL) && !keys.every(isObject))
    throw configError(
      'authentication of type jwt: each of the keys must be an object; pass a key set',
    )
  let keySet: JWTVerifyGetKey | undefined
  return {
    scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    challenge: 'Bearer',
    check: async (request) => {
      const token = credentialsOf(request, 'bearer')
      if (!token) return undefined
      const { createLocalJWKSet, createRemoteJWKSet, jwtVerify } = await import('jose')
      keySet ??=
        keys instanceof URL ? createRemoteJWKSet(keys) : createLocalJWKSet({ keys: [...keys] })
      try {
        const { payload } = await jwtVerify(token, keySet, {
          issuer,
          audience,
          algorithms: [...algorithms],
          // A token without an end would be valid for ever.
          requiredClaims: ['sub', 'exp'],
        })
        // The issuer wrote the claim, so its type is not certain.
        const sub: unknown = payload.sub
        return typeof sub === 'string' && sub ? { issuer, subject: sub } : undefined
      } catch {
        return undefined
      }
    },
  }
}

/**
 * Makes an authenticator of rows; a request that satisfies any of them is authenticated.
 * @throws {LlmError} `config` — a row is not valid.
 */
export function createAuthenticator(rows: readonly Authentication[]): Authenticator {
  rows.forEach(checkRow)
  const made = rows.map((row, index) => {
    const before = rows.slice(0, index).filter(({ type }) => type === row.type).length
    return { name: before ? `${row.type}-${before + 1}` : row.type, ...toRow(row) }
  })
  return {
    card: {
      securitySchemes: Object.fromEntries(made.map(({ name, scheme }) => [name, scheme])),
      securityRequirements: made.map(({ name }) => ({ [name]: [] })),
    },
    challenge: made.map(({ challenge }) => challenge).join(', '),
    authenticate: async (request) => {
      for (const { check } of made) {
        const principal = await check(request)
        if (principal) return principal
      }
      return undefined
    },
  }
}
