const most = 60

/** A value as messages show it: the beginning of its JSON. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = (JSON.stringify(value) as string | undefined) ?? `a ${typeof value}`
  return text.length > most ? `${text.slice(0, most - 3)}...` : text
}
