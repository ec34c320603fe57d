/** One row of the table: which package may import what. */
export interface Boundary {
  readonly package: string
  readonly file?: string
  readonly imports: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly builtins?: boolean
  readonly computed?: boolean
  readonly forbidden: readonly string[]
}
export const boundaries: readonly Boundary[]
export const vendorNeutral: readonly string[]
export const vendorNames: readonly string[]
