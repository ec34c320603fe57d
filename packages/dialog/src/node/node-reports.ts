import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configError } from '@modelport/core'
import type { CallReport } from '../call/reports.js'

/** Where reports are kept. */
export interface ReportWriterOptions {
  /** Made when the first report is written; readable by the user alone. */
  readonly folder: string
  /** Maximum reports that are kept; the oldest are removed. Default 100. */
  readonly most?: number
}

/**
 * Writes each report as a JSON file `{agent}_{time}_{4 digits}.json`: first under another name, so
 * that a reader never sees half of one. Give it to `createDialogCaller` as `reports`.
 * @throws {LlmError} `config` — `most` is not a whole number of at least 1.
 */
export function createReportWriter({
  folder,
  most = 100,
}: ReportWriterOptions): (report: CallReport) => Promise<void> {
  if (!Number.isInteger(most) || most < 1)
    throw configError(`most must be a whole number of at least 1, not ${most}`)
  let last: Promise<void> = Promise.resolve()
  const write = async (report: CallReport): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const agent = report.agent.replaceAll(/[^\w.-]+/g, '-').slice(0, 64)
    const name = `${agent}_${report.time.replaceAll(/[:.]/g, '-')}_${randomBytes(2).toString('hex')}.json`
    const draft = join(folder, `.${name}.tmp`)
    await writeFile(draft, `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 })
    await rename(draft, join(folder, name))
    await prune(folder, most)
  }
  return (report) => {
    // One at a time, so that counting and removing never overlap.
    const written = last.then(() => write(report))
    last = written.catch(() => undefined)
    return written
  }
}

/** Removes the oldest reports, by the time in their names. */
async function prune(folder: string, most: number): Promise<void> {
  const timeOf = (name: string): string => /_([^_]+)_[\da-f]{4}\.json$/.exec(name)?.[1] ?? ''
  const reports = (await readdir(folder)).filter((name) => timeOf(name) !== '')
  reports.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
  for (const name of reports.slice(0, Math.max(0, reports.length - most)))
    await rm(join(folder, name), { force: true })
}
