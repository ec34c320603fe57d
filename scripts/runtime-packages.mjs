/** Programs that tests run and the lockfile has not: they come from npm into npx's cache when they are needed. */
export const runtimePackages = {
  deno: 'deno@2.9.6',
  bun: 'bun@1.4.5',
  srt: '@anthropic-ai/sandbox-runtime@0.0.83',
}
