/** File of shapes → the package that describes them, and of each shape the type and the module that has it. */
export const shapeSources: Readonly<
  Record<string, { readonly from: string; readonly shapes: Readonly<Record<string, readonly string[]>> }>
>
/** Version of an installed package. */
export function versionOf(name: string): string
