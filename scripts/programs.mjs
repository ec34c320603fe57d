// What the scripts of package.json that fetch a newer Node do once they have it. Plain JavaScript:
// `run.mjs` reads it under any Node.

/** Shell commands by the name of the script. */
export const programs = {
  demo: 'node --import ./scripts/sources.mjs examples/basic/src/main.ts',
  test: 'node scripts/test.mjs',
  'test:full': 'MODELPORT_RUNS=full node scripts/test.mjs',
  soak: 'node --expose-gc --import ./scripts/sources.mjs test/soak/main.ts',
  pack: 'node scripts/pack.mjs',
  faults: 'node scripts/faults.mjs',
  attack: 'MODELPORT_ATTACK=full pnpm exec vitest run --project workspace test/attack',
  'check:release': 'node scripts/ci.mjs --release',
}
