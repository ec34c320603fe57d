import * as z from 'zod'
import type { WireRequest } from '../wire-format.js'

/** A name or an id of OpenAI's APIs. */
export const name64: z.ZodString = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'not 1 to 64 letters, digits, _ or -')

type Split<Names extends string> = Names extends `${infer First} ${infer Rest}`
  ? First | Split<Rest>
  : Names

/**
 * Fields that an object may have, separated by spaces, with anything in them unless `value` says
 * more.
 */
export const anyOf = <const Names extends string>(
  names: Names,
  value: z.ZodUnknown = z.unknown(),
): Record<Split<Names>, z.ZodOptional<z.ZodUnknown>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value.optional()])) as ReturnType<
    typeof anyOf<Names>
  >

/** A body that fits its API, or its problems, each with its place. */
export type ReadBody<Body> =
  | { readonly problems: readonly string[]; readonly body?: undefined }
  | { readonly problems?: undefined; readonly body: Body }

/** Reads the JSON body of a request. */
export function readBody<Body>(
  schema: z.ZodType<Body>,
  { body, headers }: WireRequest,
): ReadBody<Body> {
  // A body that cannot be parsed comes as its text.
  if (typeof body === 'string') return { problems: ['body: not JSON'] }
  const problems = formProblems(schema, body)
  if (!headers['content-type']?.includes('application/json'))
    problems.push('content-type is not application/json')
  return problems.length ? { problems } : { body: schema.parse(body) }
}

/** The parts of a value that do not fit the schema, each with its place, which begins with `at`. */
export const formProblems = (
  schema: z.ZodType,
  value: unknown,
  at: readonly PropertyKey[] = [],
): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(
    ({ path, message }) => `${placeOf([...at, ...path]) || 'body'}: ${message}`,
  )

const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`,
    )
    .join('')

/** The texts whose condition holds. */
export const brokenRules = (
  rules: readonly (readonly [isBroken: boolean, text: string])[],
): string[] => rules.flatMap(([isBroken, text]) => (isBroken ? [text] : []))
