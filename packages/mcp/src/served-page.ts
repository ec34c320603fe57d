import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

const pageSize = 100

/**
 * The result of a request for a list: the page that its cursor names.
 * @throws {ProtocolError} invalid params — the cursor is not one of this list
 */
export function pageOf<Key extends string, Item>(
  key: Key,
  items: readonly Item[],
  cursor = '0',
): Record<Key, Item[]> & { readonly nextCursor?: string } {
  const start = /^\d{1,9}$/.test(cursor) ? Number(cursor) : -1
  if (start < 0 || start > items.length || start % pageSize)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor is not one of this list; list from the start',
    )
  const end = start + pageSize
  const page = { [key]: items.slice(start, end) } as Record<Key, Item[]>
  return end < items.length ? { ...page, nextCursor: String(end) } : page
}
