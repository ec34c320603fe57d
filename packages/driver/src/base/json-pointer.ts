/**
 * A key as it stands in a JSON pointer.
 * @see https://www.rfc-editor.org/rfc/rfc6901 (read 2026-11-21)
 */
export const toPointerPart = (key: string): string =>
  key.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * What a reference leads to within its document, like `#/$defs/name`; undefined where it leads
 * nowhere.
 */
export function atReference(root: unknown, reference: string): unknown {
  const [start, ...parts] = reference.split('/')
  let target = start === '#' ? root : undefined
  for (const key of parts.map(fromPointerPart))
    target =
      typeof target === 'object' && target !== null && Object.hasOwn(target, key)
        ? (target as Readonly<Record<string, unknown>>)[key]
        : undefined
  return target
}

/** The key that a part of a pointer in a URI stands for. */
function fromPointerPart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
