/** Name of a program → its npm package and version. */
export declare const runtimePackages: Readonly<Record<'deno' | 'bun' | 'srt', string>>
