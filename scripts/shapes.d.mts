/**
 * File of shapes → the package that describes them, and of each shape the type and the module that
 * has it.
 */
export const shapeSources: Readonly<
  Record<
    string,
    {
      readonly from: string
      readonly at?: string
      readonly shapes?: Readonly<Record<string, readonly string[]>>
      readonly schemas?: Readonly<Record<string, string>>
    }
  >
>
/** Version of a package that is installed, for all packages or for the one `at` a folder. */
export function versionOf(name: string, at?: string): string
