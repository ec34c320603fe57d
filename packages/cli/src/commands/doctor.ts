import type { Cli, CommonOptions } from '../context/cli.js'
import { checkModel } from '../doctor/check-model.js'
import { type DoctorReport, type DoctorStep, type StepId } from '../doctor/doctor-step.js'
import { exitCodes } from '../errors/exit-codes.js'
import { loadModels } from '../models/configured-models.js'
import { Progress } from '../terminal/progress.js'

/** Options of `modelport doctor`. */
export interface DoctorOptions extends CommonOptions {
  readonly model?: readonly string[]
  readonly baseUrl?: string
  readonly until: StepId
  readonly timeout: number
}

/** Runs `modelport doctor`; resolves to the exit code. */
export async function doctor(
  cli: Cli,
  { model: names, baseUrl, until, timeout }: DoctorOptions,
): Promise<number> {
  const { out, err, json } = cli
  const models = await loadModels(cli)
  const chosen =
    names || baseUrl !== undefined
      ? (names ?? [undefined]).map((name) => models.pick(name, baseUrl))
      : models.all()
  const reports: DoctorReport[] = []
  for (const model of chosen) {
    let progress: Progress | undefined
    if (!json)
      out.line(`${reports.length ? '\n' : ''}${out.style('bold', out.foreign(model.name))}`)
    try {
      const steps = checkModel(model, cli, {
        until,
        timeoutMs: timeout * 1000,
        onBegin: (step) => {
          progress = new Progress(err, `${model.name}: ${step}`)
        },
      })
      let next = await steps.next()
      for (; !next.done; next = await steps.next()) {
        progress?.stop()
        if (!json && !next.value.notReached) printStep(cli, next.value)
      }
      const left = next.value.steps.filter(({ notReached }) => notReached).map(({ id }) => id)
      if (!json && left.length)
        out.line(`  ${out.style('dim', `- not reached: ${left.join(', ')}`)}`)
      reports.push(next.value)
    } finally {
      progress?.stop()
    }
  }
  const ok = reports.every((report) => report.ok)
  if (json) out.json({ ok, models: reports })
  return ok ? exitCodes.done : exitCodes.unhealthy
}

const marks = {
  ok: ['green', '✓'],
  warning: ['yellow', '!'],
  failed: ['red', '✗'],
  skipped: ['dim', '-'],
} as const

function printStep(
  { out }: Cli,
  { id, status, latencyMs, detail, note, fix, refusedHost, allow = [] }: DoctorStep,
): void {
  const [style, mark] = marks[status]
  const time = latencyMs === undefined ? '' : out.style('dim', `  ${latencyMs} ms`)
  const text = out.foreign(detail).replaceAll('\n', '\n           ')
  out.line(
    `  ${out.style(style, mark)} ${id.padEnd(7)} ${status === 'skipped' ? out.style('dim', text) : text}${time}`,
  )
  if (note !== undefined) out.line(`           ${out.style('dim', out.foreign(note))}`)
  if (fix !== undefined) out.line(`           ${out.style('yellow', 'fix:')} ${out.foreign(fix)}`)
  if (refusedHost === undefined) return
  out.line(`           allow ${out.style('bold', refusedHost)}`)
  for (const { sandbox, line, where } of allow)
    out.line(
      `             ${sandbox.padEnd(12)} ${line.replaceAll('\n', ', ')}  ${out.style('dim', `(${where})`)}`,
    )
}
