// The official conformance suite of the protocol, for each version in the release that tests it.
// `pnpm mcp:conformance` runs every scenario.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { bundlePrograms } from '../../../test/support/bundle.js'
import { isFull } from '../../../test/support/faults.js'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { client } = await bundlePrograms(folder, { client: here('conformance/client.ts') })

/**
 * The releases of the suite: 0.1.16 for 2025-11-25, the pinned pre-release of 0.2 for 2026-07-28.
 */
const suites = {
  '2025-11-25': here('../node_modules/mcp-conformance-2025/dist/index.js'),
  '2026-07-28': here('../node_modules/mcp-conformance-2026/dist/index.js'),
}
type Version = keyof typeof suites

/**
 * What is not passed, each with the sentence of the specification, or of the standard that it
 * names, and the checks that fail.
 */
const exceptions: Readonly<Record<string, readonly [reason: string, failed: number]>> = {
  'elicitation-sep1034-client-defaults': [
    'the user may answer tomorrow, so the first sending of the call is cancelled with its question: "Receivers of cancellation notifications SHOULD stop processing the cancelled request" (2025-11-25, cancellation)',
    1,
  ],
  'auth/2025-03-26-oauth-metadata-backcompat': [
    'its metadata names another issuer: "If these values are not identical, the data contained in the response MUST NOT be used" (RFC 8414, 3.3)',
    3,
  ],
  'json-schema-2020-12-preservation': [
    '$schema is used to choose the dialect, and not shown to models: "MUST validate schemas according to their declared or default dialect" (2025-11-25, basic)',
    1,
  ],
}

/**
 * Extensions that this client does not have: enterprise authorization, keys bound to tokens,
 * workload identities, skills. "Extensions are always optional."
 */
const leftOut = /^(?:auth\/(?:cross-app|enterprise|dpop|wif)|sep-2640-)/

/** Run with all tests; the others take a minute or two. */
const everyTime = [
  'initialize',
  'tools_call',
  'request-metadata',
  'sse-retry',
  'auth/metadata-default',
  'auth/scope-step-up',
  'auth/iss-wrong-issuer',
  'http-custom-headers',
  'elicitation-sep1034-client-defaults',
  'sep-2322-client-request-state',
]

/** The scenarios that a suite lists for the version, for an older one, or for an extension. */
async function scenariosOf(
  version: Version,
): Promise<readonly (readonly [Version, string, string[]])[]> {
  const { stdout } = await run(process.execPath, [suites[version], 'list', '--client'])
  const listed = [...stdout.matchAll(/^ +- (\S+) \[(.*)\]$/gm)].map(
    ([, name = '', versions = '']) => [name, versions] as const,
  )
  expect(listed.length).toBeGreaterThan(20)
  const known =
    version === '2025-11-25'
      ? ['2025-11-25', '2025-06-18', '2025-03-26', 'extension']
      : [version, 'extension']
  return listed
    .map(
      ([name, versions]) => [name, known.find((one) => versions.split(',').includes(one))] as const,
    )
    .flatMap(([name, one]) =>
      one ? [[version, name, one === 'extension' ? [] : ['--spec-version', one]] as const] : [],
    )
    .filter(([, name]) => !leftOut.test(name) && (isFull || everyTime.includes(name)))
}

const scenarios = [...(await scenariosOf('2025-11-25')), ...(await scenariosOf('2026-07-28'))]

test.each(scenarios)(
  'the client passes the conformance scenario of %s: %s',
  async (version, name, args) => {
    const command = [
      'client',
      '--command',
      `${process.execPath} ${client}`,
      '--scenario',
      name,
      '-o',
      folder,
      ...args,
    ]
    const { stdout, stderr } = await run(process.execPath, [suites[version], ...command]).catch(
      (error: unknown) => error as { readonly stdout: string; readonly stderr: string },
    )
    const [, failed, warnings] =
      /^Passed: \d+\/\d+, (\d+) failed, (\d+) warnings$/m.exec(stdout + stderr) ?? []
    const [, most = 0] = exceptions[name] ?? []
    expect([failed, warnings], stdout + stderr).toEqual([String(most), '0'])
  },
)
