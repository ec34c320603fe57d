/**
 * Tests that may skip: where, which (by the start of the title with its groups, or all of the
 * file), and what is missing then.
 */
export interface AllowedSkip {
  readonly file: RegExp
  readonly title?: RegExp
  readonly needs: string
}

/**
 * Every reason for which a test of a clean clone may skip. A test that skips and stands on no row
 * fails the run. A title that ends in `(skipped: …)` says its own reason: the conformance kit
 * writes it for what a wire cannot say.
 */
export const allowedSkips: readonly AllowedSkip[] = [
  {
    file: /./,
    title: /\(skipped: [^)]+.*\)$/,
    needs: 'something that the wire cannot express, as the title says',
  },
  {
    file: /^test\/client-suite\.test/,
    title: /a client in Python/,
    needs: 'python3',
  },
  {
    file: /^packages\/provider-ollama\/test\/corpus/,
    title: /no recorded prompt is called cut/,
    needs: 'counts of a real server: MODELPORT_CORPUS',
  },
  {
    file: /^packages\/runtime\/test\/json-schema\.test/,
    title: /JSON-Schema-Test-Suite/,
    needs: 'a public suite: MODELPORT_SUITES',
  },
  {
    file: /^packages\/serve\/test\/wire\/shapes/,
    title: /normative proto/,
    needs: 'a public suite: MODELPORT_SUITES',
  },
  {
    file: /llama-server\.test|real-models\.test/,
    needs: 'a llama.cpp server: MODELPORT_LLAMA_SERVER',
  },
  { file: /^test\/docs-local-model/, needs: 'a llama.cpp server: MODELPORT_LLAMA_SERVER' },
  {
    file: /^packages\/(dialog|runtime)\/test\/small-model/,
    needs: 'a llama.cpp server, or llama.cpp in the process',
  },
  {
    file: /^test\/examples/,
    title: /research-desk/,
    needs: 'a llama.cpp server: MODELPORT_LLAMA_SERVER',
  },
  {
    file: /^packages\/provider-llamacpp\/test\//,
    needs: 'a build of llama.cpp for this processor, or a user other than root',
  },
  { file: /^test\/local-demo/, needs: 'a build of llama.cpp for this processor' },
  { file: /^packages\/studio\/test\//, needs: 'Chromium' },
  { file: /^packages\/cli\/test\/studio-/, needs: 'Chromium' },
  { file: /^examples\/chat\//, needs: 'Chromium' },
  { file: /^examples\/restate\//, needs: "a build of Restate's server for this processor" },
  {
    file: /^test\/examples/,
    title: /^restate/,
    needs: "a build of Restate's server for this processor",
  },
  { file: /^packages\/ai-sdk\/test\/chromium/, needs: 'Chromium' },
  {
    file: /^packages\/durable\/test\//,
    title: /^together:.*PostgreSQL/,
    needs: 'PostgreSQL, on which `.ci/run` runs them: npm test -- durable-on-postgres',
  },
  {
    file: /^packages\/durable\/test\//,
    title: /^durable-on-postgres:/,
    needs: 'SQLite, on which `npm test` runs them, or PostgreSQL',
  },
  {
    file: /^packages\/durable\/test\//,
    needs: 'PostgreSQL, or a mount of its own, or a user other than root',
  },
  { file: /^packages\/(agent|serve)\/test\//, title: /^agent-on-postgres:/, needs: 'PostgreSQL' },
  {
    file: /^packages\/cli\/test\/key-secrecy/,
    needs: '/proc, where a process sees the arguments of others',
  },
  { file: /^test\/egress/, needs: 'Deno, strace, or namespaces of the network' },
  { file: /^test\/allow-list-tools/, needs: 'Deno, Squid, nftables or a shell' },
  {
    file: /^test\/(sandbox-runtime|examples)/,
    title: /sandbox-runtime|Deno|with no permission/,
    needs: 'Deno, or bubblewrap, socat and ripgrep',
  },
  {
    file: /^test\/faults\/(tls|crashes|connect)/,
    needs: 'openssl, a mount of its own, or a kernel that fills a queue of connections',
  },
  {
    file: /^test\/workspace/,
    title: /path of this checkout/,
    needs: 'the whole history of the repository',
  },
  { file: /^test\/live\//, needs: 'keys of the vendors' },
]

/** The row of a test that skips; `title` starts with the name of its project. */
export const allowedSkip = (file: string, title: string): AllowedSkip | undefined =>
  allowedSkips.find((row) => row.file.test(file) && (row.title?.test(title) ?? true))
