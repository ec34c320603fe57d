/** Bytes of a folder's files, without what it installed itself. */
export const bytesOf: (dir: string) => number
/** Where a package finds another one, as Node looks for it. */
export const locate: (name: string, from: string) => string | undefined
/**
 * Folders of everything that npm installs with a package, added to `found`, and the optional
 * packages that are not installed here.
 */
export const closure: (
  dir: string,
  found?: Set<string>,
  absent?: Set<string>,
) => { readonly found: Set<string>; readonly absent: Set<string> }
