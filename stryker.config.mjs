// `pnpm mutation` sets what is mutated and which tests prove it: see scripts/mutation.
const loop = process.env.MODELPORT_MUTATION === 'runtime'

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  // A mutant that waits for ever is one that is found; a loaded machine must not find others.
  timeoutMS: 5_000,
  timeoutFactor: 1.5,
  tempDirName: '.cache/stryker',
  ignorePatterns: [
    'bench',
    'docs',
    'dist',
    'examples',
    'coverage',
    '.turbo',
    '.ci',
    'test/**/*.test.ts',
    `packages/{${loop ? '' : 'provider-*,runtime,'}cli,factory,studio}/{src,test}`,
  ],
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: {
    fileName: process.env.MODELPORT_MUTATION_REPORT ?? '.cache/mutation/report.json',
  },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  allowConsoleColors: false,
}
