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
/** A limit now, and the limit that is aimed at. */
export interface Ceiling {
  readonly ceiling: number
  readonly target: number
}
/** What is counted. */
export type Figure = 'packages' | 'values' | 'names' | 'unneeded' | 'lines'
/** Reasons for exports that no block, example or package uses: by package and name. */
export type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>

export const readCeilings: () => {
  readonly ceilings: Readonly<Record<Figure, Ceiling>>
  readonly kept: Kept
}
export const measureExports: (kept?: Kept) => readonly PackageExports[]
export const measure: (measured?: readonly PackageExports[]) => Readonly<Record<Figure, number>>
