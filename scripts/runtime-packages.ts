const windows = process.platform === 'win32'
const node = (version: string): string =>
  `node-${windows ? 'win' : process.platform}-${process.arch}@${version}`

/**
 * Programs that tests run and the lockfile has not: they come from npm into npx's cache when they
 * are needed.
 */
export const runtimePackages: Readonly<
  Record<'node-22' | 'node-24' | 'node-26' | 'deno' | 'bun' | 'workerd' | 'srt', string>
> = {
  // The oldest that the manifests promise, and the newest of later lines.
  'node-22': node('22.19.0'),
  'node-24': node('24.21.0'),
  'node-26': node('26.10.0'),
  deno: 'deno@2.9.6',
  bun: 'bun@1.4.5',
  workerd: 'workerd@1.20261117.1',
  srt: '@anthropic-ai/sandbox-runtime@0.0.83',
}
