/** One exported name of a package, over all its entries. */
export interface ExportedName {
  readonly name: string
  readonly isType: boolean
  /** Exported again from the package that owns it. */
  readonly isReexport: boolean
  readonly isNeeded: boolean
}
/** The exports of one package. */
export interface PackageExports {
  readonly name: string
  readonly exports: readonly ExportedName[]
}
/** Reasons for exports that no block, example or package uses: by package and name. */
export type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>

export const readKept: () => Kept
export const measureExports: (kept?: Kept) => readonly PackageExports[]
