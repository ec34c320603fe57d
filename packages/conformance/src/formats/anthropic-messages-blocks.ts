import { isObject } from '@modelport/core'
/** A content block of a request. */
export interface WireBlock {
  readonly type?: unknown
  readonly [field: string]: unknown
}

/** What this server signs thinking with: a mark nobody else makes, and all of the text. */
export function signatureOf(thinking: string): string {
  let sum = 7
  for (let i = 0; i < thinking.length; i++) sum = (Math.imul(sum, 31) + thinking.charCodeAt(i)) >>> 0
  return `signed-by-conformance-${thinking.length}-${sum.toString(36)}`
}

/** Blocks of a content; a string stands for one text block. */
export const blocksOf = (content: unknown): readonly WireBlock[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : Array.isArray(content)
      ? (content as WireBlock[])
      : []

/** Fields of the block types a request may hold, and the roles they may stand under. */
const blockTypes: Readonly<Record<string, readonly [roles: string, fields: string]>> = {
  text: ['user assistant system', 'text citations cache_control'],
  image: ['user', 'source cache_control transformations'],
  document: ['user', 'source title context citations cache_control'],
  search_result: ['user', 'source title content citations cache_control'],
  tool_result: ['user', 'tool_use_id content is_error cache_control toolset_name'],
  tool_use: ['assistant', 'id name input caller cache_control toolset_name'],
  thinking: ['assistant', 'thinking signature'],
  redacted_thinking: ['assistant', 'data'],
  server_tool_use: ['assistant', 'id name input caller cache_control'],
}

/** Rules of one block. Blocks of tools the API runs are taken as they are. */
export function blockViolations(block: WireBlock, role: string, where: string): string[] {
  const type = String(block.type)
  const known = blockTypes[type]
  if (!known)
    return /_tool_(use|result)$|^(fallback|compaction|container_upload|mcp_tool_listing)$/.test(type)
      ? []
      : [`${where}.type: unknown type ${type}`]
  const found: string[] = []
  const [roles, fields] = known
  if (!roles.split(' ').includes(role)) found.push(`${where}: ${type} is not allowed in a ${role} message`)
  const allowed = ['type', ...fields.split(' ')]
  for (const field of Object.keys(block))
    if (!allowed.includes(field)) found.push(`${where}.${field}: Extra inputs are not permitted`)
  const check = checks[type]
  return check ? [...found, ...check(block, where)] : found
}

const checks: Readonly<Record<string, (block: WireBlock, where: string) => string[]>> = {
  text: ({ text }, where) =>
    typeof text === 'string' && text.trim() ? [] : [`${where}: text content blocks must contain non-whitespace text`],
  thinking: ({ thinking, signature }, where) => {
    if (typeof thinking !== 'string') return [`${where}.thinking: Field required`]
    return signature === signatureOf(thinking) ? [] : [`${where}: Invalid signature in thinking block`]
  },
  redacted_thinking: ({ data }, where) => (typeof data === 'string' ? [] : [`${where}.data: Field required`]),
  tool_use: ({ id, name, input }, where) => [
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(String(id)) ? [] : [`${where}.id: String should match pattern ^[a-zA-Z0-9_-]+$`]),
    ...(typeof name === 'string' && name ? [] : [`${where}.name: Field required`]),
    ...(isObject(input) ? [] : [`${where}.input: Input should be a valid dictionary`]),
  ],
  tool_result: ({ content, is_error: isError }, where) => {
    const inner = content === undefined ? [] : blocksOf(content)
    const found = inner.flatMap((block, index) => blockViolations(block, 'user', `${where}.content[${index}]`))
    for (const [index, { type }] of inner.entries()) {
      if (!['text', 'image', 'document', 'search_result'].includes(String(type)))
        found.push(`${where}.content[${index}]: ${String(type)} inside a tool_result`)
    }
    if (isError === true && !inner.length) found.push(`${where}: content cannot be empty if is_error is true`)
    return found
  },
  image: ({ source }, where) => sourceViolations(source, where, ['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  document: ({ source }, where) => sourceViolations(source, where, ['application/pdf']),
}

function sourceViolations(source: unknown, where: string, mediaTypes: readonly string[]): string[] {
  const { type, media_type: mediaType, data, url, file_id: file } = (source ?? {}) as Readonly<Record<string, unknown>>
  if (type === 'url') return typeof url === 'string' ? [] : [`${where}.source.url: Field required`]
  if (type === 'file') return typeof file === 'string' ? [] : [`${where}.source.file_id: Field required`]
  if (type === 'text')
    return mediaType === 'text/plain' && typeof data === 'string' ? [] : [`${where}.source: not text/plain`]
  if (type !== 'base64') return [`${where}.source.type: unknown`]
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+=*$/.test(data)) return [`${where}.source.data: not base64`]
  return mediaTypes.includes(String(mediaType)) ? [] : [`${where}.source.media_type: ${String(mediaType)}`]
}
