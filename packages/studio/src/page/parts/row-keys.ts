/**
 * j and k go to the next and the previous run of the list, and x chooses it. Returns whether the
 * key did one of these.
 */
export function walkRows(key: string): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('.runs tbody tr')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = { j: rows[at + 1], k: rows[at - 1], x: rows[at] }[key]
  if (key === 'x') row?.querySelector('input')?.click()
  else row?.querySelector('a')?.focus()
  return row !== undefined
}
