import { defineConfig } from 'tsup'

/** The build every package shares: ESM with declarations and source maps, one output file per entry. */
export const library = (...entry: string[]): ReturnType<typeof defineConfig> =>
  defineConfig({ entry, format: ['esm'], dts: true, sourcemap: true, clean: true, splitting: true, target: 'es2022', treeshake: true })
