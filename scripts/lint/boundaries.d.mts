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
/** For a package, or `package/folder`, its folders in rows, each with what it holds. */
export const folders: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
/** For a package, its folders in rows: a folder imports from the rows before its own only. */
export const folderOrders: Readonly<Record<string, readonly (readonly string[])[]>>
export const vendorNeutral: readonly string[]
export const foreignExceptions: Readonly<Record<string, string>>
export const foreignNames: readonly string[]
export const vendorNames: readonly string[]
