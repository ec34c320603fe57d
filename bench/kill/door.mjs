// The half of a worker process that is the same for every library: it reads what to do, and reports
// how it ended.
import EventEmitter, { once } from 'node:events'
import { readFileSync } from 'node:fs'

/**
 * What every adapter is given: for each of `jobs` its name `job`, the names of its `calls`, `store`
 * (a folder, or the address of PostgreSQL), `model` and `ledger` (addresses).
 */
export const settings = JSON.parse(process.env.KILL_SETTINGS ?? '{}')

/** What the model is asked; it makes the calls one after the other, then says `Done.` */
export const promptOf = ({ job, calls }) => `${job} ${JSON.stringify(calls)}`

/**
 * The effect of a tool, outside of the process. `key` is what the library offers to recognize a
 * repetition by.
 */
export async function effect(job, call, key) {
  const response = await fetch(settings.ledger, {
    method: 'POST',
    body: JSON.stringify({ job, call, key }),
  })
  return response.text()
}

/** Whether the ledger has an effect under this key: what a receiver that can be asked answers. */
export async function happened(job, key) {
  const query = `job=${encodeURIComponent(job)}&key=${encodeURIComponent(key)}`
  const response = await fetch(`${settings.ledger}?${query}`)
  return (await response.json()).happened
}

/** The tools of every job: `pay` and `note` happen without asking, `refund` needs an approval. */
export const toolNames = ['pay', 'note', 'refund']

/** Tells the test something; resolves once it is sent. */
export const tell = (message) => new Promise((resolve) => process.send(message, resolve))

const answers = new EventEmitter()
process.on('message', ({ job, decisions }) => answers.emit(job, decisions))

/**
 * Runs an adapter over the jobs of this process. `start`, `resume` and `decide` resolve with
 * `{ text }` at the end of a job, `{ waits }` for what a person is asked, or `{ missing }` if
 * nothing is stored of the job.
 */
export async function work({ start, resume, decide }) {
  if (settings.role === 'cost')
    return tell(await cost(start).catch((error) => ({ failed: String(error) })))
  await tell({ began: true })
  const workOn = async (job) => {
    try {
      let outcome = await (job.role === 'start' ? start(job) : resume(job))
      while (outcome.waits) {
        const answered = once(answers, job.job)
        await tell({ job: job.job, ...outcome })
        const [decisions] = await answered
        outcome = await decide(job, decisions)
      }
      await tell({ job: job.job, ...outcome })
    } catch (error) {
      await tell({ job: job.job, failed: String(error?.message ?? error) })
    }
  }
  const { jobs, ...common } = settings
  await Promise.all(jobs.map((job) => workOn({ ...common, ...job })))
}

/** What a job of many steps uses in this process, once another has warmed it up. */
async function cost(start) {
  await start({ ...settings, job: `${settings.job}-warm` })
  await tell({ warm: true })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const before = used()
  await start(settings)
  const after = used()
  return {
    cost: Object.fromEntries(Object.keys(before).map((name) => [name, after[name] - before[name]])),
  }
}

function used() {
  const { user, system } = process.cpuUsage()
  const io = Object.fromEntries(
    readFileSync('/proc/self/io', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  )
  return { cpu: user + system, calls: Number(io.syscw), bytes: Number(io.write_bytes) }
}
