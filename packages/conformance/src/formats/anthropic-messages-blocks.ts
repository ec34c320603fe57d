import * as z from 'zod'
import { anyOf, formProblems } from './body-form.js'

/** A content block of a request. */
export type WireBlock = z.infer<typeof block>

/** A content block, whatever its type. */
export const block: z.ZodObject<{ type: z.ZodString }, z.core.$loose> = z.looseObject({
  type: z.string(),
})
/** The content of a message or of a result; a string stands for one text block. */
export const blocks: z.ZodUnion<[z.ZodString, z.ZodArray<typeof block>]> = z.union([
  z.string(),
  z.array(block),
])

/** The signature of thinking: a mark of this server, and the whole text. */
export function signatureOf(thinking: string): string {
  let sum = 7
  for (let i = 0; i < thinking.length; i++)
    sum = (Math.imul(sum, 31) + thinking.charCodeAt(i)) >>> 0
  return `signed-by-conformance-${thinking.length}-${sum.toString(36)}`
}

/** The blocks of a content. */
export const blocksOf = (content: z.infer<typeof blocks> | undefined): readonly WireBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])

const base64 = z.string().regex(/^[A-Za-z0-9+/]+=*$/, 'not base64')
const sourceOf = (...mediaTypes: readonly string[]): z.ZodType =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('url'), url: z.string() }),
    z.looseObject({ type: z.literal('file'), file_id: z.string() }),
    z.looseObject({
      type: z.literal('text'),
      media_type: z.literal('text/plain'),
      data: z.string(),
    }),
    z.looseObject({ type: z.literal('base64'), media_type: z.enum(mediaTypes), data: base64 }),
  ])
const result = z
  .strictObject({
    content: z.union([z.string(), z.array(block)]).optional(),
    ...anyOf('type tool_use_id is_error cache_control toolset_name'),
  })
  .refine(
    ({ content, is_error: isError }) => isError !== true || blocksOf(content).length > 0,
    'content cannot be empty if is_error is true',
  )
const inner = ['text', 'image', 'document', 'search_result']

/** The form of each block that a request may hold, and the roles it may stand under. */
const blockForms: Readonly<Record<string, readonly [roles: string, form: z.ZodType]>> = {
  text: [
    'user assistant system',
    z.strictObject({
      text: z.string().regex(/\S/, 'must not be blank'),
      ...anyOf('type citations cache_control'),
    }),
  ],
  image: [
    'user',
    z.strictObject({
      source: sourceOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
      ...anyOf('type cache_control transformations'),
    }),
  ],
  document: [
    'user',
    z.strictObject({
      source: sourceOf('application/pdf'),
      ...anyOf('type title context citations cache_control'),
    }),
  ],
  search_result: [
    'user',
    z.strictObject(anyOf('type source title content citations cache_control')),
  ],
  tool_result: ['user', result],
  tool_use: [
    'assistant',
    z.strictObject({
      id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      name: z.string().min(1),
      input: z.record(z.string(), z.unknown()),
      ...anyOf('type caller cache_control toolset_name'),
    }),
  ],
  thinking: [
    'assistant',
    z
      .strictObject({ thinking: z.string(), ...anyOf('type signature') })
      .refine(
        ({ thinking, signature }) => signature === signatureOf(thinking),
        'invalid signature in thinking block',
      ),
  ],
  redacted_thinking: ['assistant', z.strictObject({ data: z.string(), ...anyOf('type') })],
  server_tool_use: ['assistant', z.strictObject(anyOf('type id name input caller cache_control'))],
}

/** Rules of one block. Blocks of tools the API runs are taken as they are. */
export function blockViolations(
  one: WireBlock,
  role: string,
  at: readonly PropertyKey[],
): string[] {
  const { type } = one
  const [roles, form] = blockForms[type] ?? []
  if (!roles || !form)
    return /_tool_(use|result)$|^(fallback|compaction|container_upload|mcp_tool_listing)$/.test(
      type,
    )
      ? []
      : [`${at.join('.')}.type: unknown type ${type}`]
  const violations = formProblems(form, one, at)
  if (!roles.split(' ').includes(role))
    violations.push(`${at.join('.')}: ${type} is not allowed in a ${role} message`)
  if (type !== 'tool_result' || violations.length) return violations
  return blocksOf(result.parse(one).content).flatMap((part, index) => [
    ...(inner.includes(part.type)
      ? []
      : [`${at.join('.')}.content[${index}]: ${part.type} inside a tool_result`]),
    ...blockViolations(part, 'user', [...at, 'content', index]),
  ])
}
