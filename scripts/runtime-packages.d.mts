/** Name of a program → its npm package and version. */
export declare const runtimePackages: Readonly<
  Record<'node-22' | 'node-24' | 'node-26' | 'deno' | 'bun' | 'workerd' | 'srt', string>
>
