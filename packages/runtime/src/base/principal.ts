import { configError, isObject } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'

/**
 * Who calls, or owns something: a subject, and whoever vouches for it. Only both together name one
 * person: two issuers may each know an `alice`.
 */
export interface Principal {
  /**
   * Who vouches for the subject: the `iss` of its token, or the address of the service that signed
   * it in. Unset: the owner of this program, who wrote the name in its settings.
   */
  readonly issuer?: string | undefined
  /** The name that the issuer has for it; not empty. */
  readonly subject: string
  /** The tenant of a server that it acts in. Unset: none. */
  readonly tenant?: string | undefined
}

/** The program itself: its own client, and a client at its standard input and output. */
export const localPrincipal = 'local'

/** Whoever operates a store, as the one who decided. */
export const operatorPrincipal = 'operator'

/** Whoever has the secret of a call, as the one who delivered its result. */
export const webhookPrincipal = 'webhook'

/** Everybody, at a server without authentication. */
export const anonymousPrincipal = 'anonymous'

const reserved: ReadonlyMap<string, string> = new Map([
  [localPrincipal, 'for the program itself'],
  [operatorPrincipal, 'for whoever operates the store'],
  [webhookPrincipal, 'for whoever has the secret of a call'],
  [anonymousPrincipal, 'for callers of a server without authentication'],
])

/**
 * The text of a principal, which every stored key contains; equal texts are the same principal. A
 * subject without an issuer and a tenant is its own text; any other is a JSON list of issuer,
 * subject and tenant: `["https://login.example","alice"]`.
 */
export function toPrincipalText({ issuer, subject, tenant }: Principal): string {
  if (tenant !== undefined) return JSON.stringify([issuer ?? null, subject, tenant])
  if (issuer !== undefined) return JSON.stringify([issuer, subject])
  // No subject reads as the list of another principal: an issuer may let users choose their names.
  return subject.startsWith('[') ? JSON.stringify([null, subject]) : subject
}

/**
 * The principal of a text that `toPrincipalText` made.
 * @throws {LlmError} `config` — it made no such text
 */
export function parsePrincipal(text: string): Principal {
  const principal = text.startsWith('[') ? fromList(text) : { subject: text }
  if (principal?.subject && toPrincipalText(principal) === text) return principal
  throw configError(
    `${JSON.stringify(text)} is not the text of a principal; make it with toPrincipalText`,
  )
}

function fromList(text: string): Principal | undefined {
  try {
    const [issuer, subject, tenant] = JSON.parse(text) as readonly unknown[]
    if (typeof subject !== 'string') return undefined
    return {
      subject,
      ...(typeof issuer === 'string' && { issuer }),
      ...(typeof tenant === 'string' && { tenant }),
    }
  } catch {
    return undefined
  }
}

/**
 * Checks a principal that settings name, or that a function of the application found. Its tenant
 * comes from the address of the request, so it has none.
 *
 * @param where begins the message: whose principal it is
 * @throws {LlmError} `config` — it is not a principal, or it takes a reserved name: `local`,
 * `anonymous`, `operator` and `webhook` without an issuer; {TypeError} a field is unknown
 */
export function checkPrincipal(where: string, principal: unknown): Principal {
  const { issuer, subject } = isObject(principal) ? principal : {}
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
  if (!isText(subject) || (issuer !== undefined && !isText(issuer)))
    throw configError(
      `${where}: ${JSON.stringify(principal)} is not a principal; give { issuer, subject }, or { subject } for a name that this program gave itself`,
    )
  checkSettings(where, principal as Principal, ['issuer', 'subject'])
  const why = issuer === undefined ? reserved.get(String(subject)) : undefined
  if (why !== undefined)
    throw configError(
      `${where}: the principal ${JSON.stringify(subject)} is reserved ${why}; choose another name, or name its issuer`,
    )
  return principal as Principal
}
