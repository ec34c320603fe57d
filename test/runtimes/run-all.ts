import { conformance, type Harness } from '@modelport/conformance'
import { collectTests, runTests, type TestResult } from './run-tests.ts'
import { type WireServers, wireChecks } from './wire-checks.ts'

/** What a runtime reports. */
export interface Report {
  /** The runtime, as it names itself. */
  readonly runtime: string
  readonly results: readonly TestResult[]
}

/** What to run. */
export interface RunRequest {
  /** Address of the host: see host.ts. */
  readonly host: string
  /** The runtime, as it names itself. */
  readonly runtime: string
  /** Providers to hold to the kit. */
  readonly harnesses: readonly Harness[]
  /** Every test of the kit; else few that try a reply byte by byte. */
  readonly full: boolean
}

/**
 * The tests that cut and split answers at every byte: nearly all of the kit's time. Those of one
 * script and one provider are always run.
 */
const isLong = (title: string): boolean =>
  /at every byte|byte by byte/.test(title) && !/of openai-compatible >.*: one call$/.test(title)

/** The kit over the providers, and the checks over the network. */
export async function runAll({ host, runtime, harnesses, full }: RunRequest): Promise<Report> {
  const urls = (await (await fetch(`${host}/servers`)).json()) as WireServers['urls']
  const requests: WireServers['requests'] = async (name) =>
    (await fetch(`${host}/requests/${name}`)).json()
  const kit = collectTests((runner) => {
    for (const harness of harnesses) conformance(runner, harness)
  })
  const results = await runTests(
    [...kit, ...wireChecks({ urls, requests })],
    full ? undefined : isLong,
  )
  return { runtime, results }
}

/** Hands the report to the host. */
export async function sendReport(
  host: string,
  report: Report | { readonly failure: string },
): Promise<void> {
  await fetch(`${host}/report`, { method: 'POST', body: JSON.stringify(report) })
}
