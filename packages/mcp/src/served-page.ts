import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** Entries of one page of a list. */
const pageSize = 100

/**
 * The page of a list that a cursor names, and the cursor of the next one.
 * @throws {ProtocolError} invalid params — the cursor is not one of this list.
 */
export function pageOf<Item>(
  items: readonly Item[],
  cursor = '0',
): { readonly page: Item[]; readonly next: { readonly nextCursor?: string } } {
  const start = /^\d{1,9}$/.test(cursor) ? Number(cursor) : -1
  if (start < 0 || start > items.length || start % pageSize)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is not one of this list; list from the start')
  const end = start + pageSize
  return { page: items.slice(start, end), next: end < items.length ? { nextCursor: String(end) } : {} }
}
